#include "oracles/psh_bucket/reference.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "oracles/psh_bucket/keys.h"
#include "oracles/psh_bucket/probes.h"

namespace ablate::psh_bucket {
namespace {

using voxel = probed_buckets::voxel;

class oracle {
 public:
  explicit oracle(const problem& p) : p_(p), box_(bounding_box_of(p)), probes_(p) {}

  void run() {
    if (p_.does(phase::prepare))
      std::fill_n(p_.bucket_count, static_cast<std::size_t>(p_.instances) * p_.buckets, 0u);
    for (instance_ = 0; instance_ < p_.instances; ++instance_) {
      begin_ = instance_ == 0 ? 0 : p_.ends[instance_ - 1];
      end_ = p_.ends[instance_];
      count_ = p_.bucket_count + static_cast<std::ptrdiff_t>(instance_) * p_.buckets;
      if (p_.does(phase::insert)) insert();
      if (p_.does(phase::rebalance) && p_.claims) rebalance();
      if (p_.does(phase::drain) && p_.mode == mode::strict) fill_free_places();
      if (p_.does(phase::drain) && p_.mode != mode::strict) drain_bin();
      if (p_.ends_buckets()) sum_counts();
    }
    if (p_.does(phase::scatter)) scatter();
  }

 private:
  bool has_bin() const { return p_.mode != mode::strict; }
  void happened(event e, unsigned long long times = 1) {
    if (p_.events) p_.events[e] += times;
  }

  std::uint16_t hashed(const voxel& v) const { return bucket_of(p_.hash, key_of(p_.hash, v), p_.buckets); }
  voxel voxel_at(std::int64_t i) const { return voxel_of(p_, box_, p_.coordinates + 3 * i); }

  /// Point i takes the next place of bucket b.
  void place(std::int64_t i, int b) {
    p_.bucket_id[i] = static_cast<std::uint16_t>(b);
    p_.bucket_off[i] = count_[b]++;
  }

  void insert() {
    for (std::int64_t i = begin_; i < end_; ++i) place(i, hashed(voxel_at(i)));
    happened(points, end_ - begin_);
  }

  /// The first probe whose bucket has room, or −1. One point after the other, no claim of a free place fails:
  /// every point is done at its first attempt, in whatever segment of the probes it falls.
  int find_room(std::int64_t i, int home) {
    const voxel v = voxel_at(i);
    for (int probe = 0; probe < p_.probes; ++probe) {
      happened(probes);
      const int b = probes_.at(i, v, probe);
      const bool eligible = b != home && !(has_bin() && b == 0);
      if (eligible && count_[b] < static_cast<std::uint32_t>(p_.capacity)) return b;
    }
    return -1;
  }

  void rebalance() {
    std::vector<std::uint32_t> leftovers_of(p_.buckets, 0);
    for (std::int64_t i = begin_; i < end_; ++i) {
      const int home = p_.bucket_id[i];
      const bool stays = p_.bucket_off[i] < static_cast<std::uint32_t>(p_.capacity);
      if (stays || (has_bin() && home == 0)) continue;
      happened(overflows);
      --count_[home];
      if (const int b = find_room(i, home); b >= 0) {
        happened(attempts);
        place(i, b);
        continue;
      }
      happened(leftovers);
      if (has_bin())
        place(i, 0);
      else
        p_.bucket_off[i] = leftover_bit | leftovers_of[home]++;
    }
  }

  /// Strict: leftover j, by home bucket and rank there, takes the j-th free place of the buckets in order.
  void fill_free_places() {
    struct leftover {
      std::uint16_t home;
      std::uint32_t rank;
      std::int64_t point;
    };
    std::vector<leftover> waiting;
    for (std::int64_t i = begin_; i < end_; ++i)
      if (p_.bucket_off[i] & leftover_bit)
        waiting.push_back({p_.bucket_id[i], p_.bucket_off[i] & ~leftover_bit, i});
    std::sort(waiting.begin(), waiting.end(), [](const leftover& a, const leftover& b) {
      return a.home != b.home ? a.home < b.home : a.rank < b.rank;
    });
    int b = 0;
    for (const leftover& each : waiting) {
      while (count_[b] == static_cast<std::uint32_t>(p_.capacity)) ++b;
      place(each.point, b);
    }
    happened(drained, waiting.size());
  }

  /// Points in the bin beyond its capacity (and one more) go to the bucket of one probe, full or not.
  void drain_bin() {
    for (std::int64_t i = begin_; i < end_; ++i) {
      if (p_.bucket_id[i] != 0 || p_.bucket_off[i] <= static_cast<std::uint32_t>(p_.capacity)) continue;
      happened(drained);
      --count_[0];
      place(i, probes_.drained(i, voxel_at(i)));
    }
  }

  void sum_counts() const {
    std::partial_sum(count_, count_ + p_.buckets, p_.bucket_end + (count_ - p_.bucket_count));
  }

  void scatter() {
    const std::int64_t rows = p_.rows();
    std::fill_n(p_.scattered, 3 * rows, padding_half);
    std::fill_n(p_.source, rows, static_cast<std::uint32_t>(p_.points));
    if (p_.channels > 0) std::fill_n(p_.scattered_features, rows * p_.channels, std::uint16_t{0});

    for (int k = 0; k < p_.instances; ++k) {
      const std::int64_t begin = k == 0 ? 0 : p_.ends[k - 1];
      const std::uint32_t* count = p_.bucket_count + static_cast<std::ptrdiff_t>(k) * p_.buckets;
      const std::uint32_t* end = p_.bucket_end + static_cast<std::ptrdiff_t>(k) * p_.buckets;
      for (std::int64_t i = begin; i < p_.ends[k]; ++i) {
        const int b = p_.bucket_id[i];
        const std::int64_t first_row = p_.layout == layout::strided
                                           ? (static_cast<std::int64_t>(k) * p_.buckets + b) * p_.capacity
                                           : begin + (end[b] - count[b]);
        const std::int64_t row = first_row + p_.bucket_off[i];
        std::copy_n(p_.coordinates + 3 * i, 3, p_.scattered + 3 * row);
        p_.source[row] = static_cast<std::uint32_t>(i);
        if (p_.channels > 0)
          std::copy_n(p_.features + i * p_.channels, p_.channels, p_.scattered_features + row * p_.channels);
      }
    }
  }

  const problem& p_;
  bounding_box box_;
  probed_buckets probes_;
  // The instance at hand: its number, points begin … end − 1, and counters.
  int instance_ = 0;
  std::int64_t begin_ = 0, end_ = 0;
  std::uint32_t* count_ = nullptr;
};

}  // namespace

void reference(const problem& p) { oracle(p).run(); }

void reference(const checked_problem& p) {
  oracle(p).run();
  *p.key_bits = 0;
}

}  // namespace ablate::psh_bucket
