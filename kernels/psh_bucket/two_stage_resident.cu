// The two-stage counter in one launch, strict mode: insert, rebalance, fill and scatter as phases of one
// cooperative kernel with one persistent block per multiprocessor, with a grid barrier between phases instead
// of a launch. A block counts all of its points before it commits, so commits fall from one per bucket and
// 1024 points to one per bucket and block. Placement starts after all insertions, so a bucket's free places
// are S − min(count, S) less the claims so far: probing reads a copy of that in shared memory, and nothing is
// ever released; a late claim is a leftover. Without probes the leftovers are the points of rank S and up,
// with one barrier less. Every block computes the sums over buckets for fill and scatter itself. A block
// keeps its points' state in shared memory and sorts them there by bucket, so it writes its rows as runs;
// parts that do not fit pass through device memory. Should move: launches, from five to one; L2 atomics; L2
// reads of probing, to none; L2 write sectors, down.
#include <cooperative_groups.h>

#include "kernels/psh_bucket/grid_share.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/padding.cuh"
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/probing.cuh"
#include "kernels/psh_bucket/staging.cuh"
#include "kernels/psh_bucket/sums.cuh"

namespace ablate::psh_bucket {

namespace {

/// What a block knows of each point of its part between phases.
struct point_states {
  std::uint32_t* offset;
  std::uint16_t *bucket, *other;

  static constexpr std::size_t bytes_per_point = sizeof(std::uint32_t) + 2 * sizeof(std::uint16_t);
};

template <bool Instrumented>
class resident_bucketing {
 public:
  __device__ resident_bucketing(const view& v, bool isotropic, unsigned held, std::uint32_t* shared)
      : v_(v),
        isotropic_(isotropic),
        held_(held),
        capacity_(v.capacity),
        probe_(v, shared),
        local_(shared + max_probes),
        room_(local_ + v.buckets),
        leftover_begin_(room_ + v.buckets),
        bucket_begin_(leftover_begin_ + v.buckets),
        rows_(bucket_begin_ + v.buckets, held),
        own_{rows_.end(), reinterpret_cast<std::uint16_t*>(rows_.end() + held),
             reinterpret_cast<std::uint16_t*>(rows_.end() + held) + held} {}

  __device__ void run() {
    const auto grid = cooperative_groups::this_grid();
    const unsigned thread = blockIdx.x * block_points + threadIdx.x, threads = gridDim.x * block_points;
    for (unsigned i = thread; i < static_cast<unsigned>(v_.instances) * v_.buckets; i += threads)
      v_.scratch.insert_count[i] = v_.scratch.leftover_count[i] = v_.scratch.claim_count[i] = 0;
    extremes mine = no_extremes();
    if (held_ > 0)
      for_each_part(v_, [&](const instance_part& part) { mine = rows_.load(v_, part); });
    else
      mine = extremes_of_parts(v_);
    if (!v_.strided) pad_rows(v_, thread, threads);
    store_extremes(v_, mine);
    grid.sync();
    box_ = scale_of_all(v_, isotropic_);
    for_each_part(v_, [&](const instance_part& part) { insert(part); });
    grid.sync();
    if (v_.probes > 0) {
      for_each_part(v_, [&](const instance_part& part) { rebalance(part); });
      grid.sync();
    }
    for_each_part(v_, [&](const instance_part& part) { place(part); });
    events_.write(v_.events);
  }

 private:
  __device__ void insert(const instance_part& part) {
    const point_states state = states_of(part);
    zero_local();
    for_points(part, [&](unsigned i) {
      events_.add(points);
      events_.add(shared_atomics);
      const unsigned home = v_.bucket_of(voxel_of(part, i));
      state.bucket[i] = static_cast<std::uint16_t>(home);
      state.offset[i] = atomicAdd(local_ + home, 1u);
    });
    commit_local(of_instance(v_.scratch.insert_count, part));
    for_points(part, [&](unsigned i) {
      state.offset[i] += local_[state.bucket[i]];
      if (state.offset[i] >= capacity_) events_.add(overflows);
    });
  }

  __device__ void rebalance(const instance_part& part) {
    const point_states state = states_of(part);
    const std::uint32_t* inserted = of_instance(v_.scratch.insert_count, part);
    std::uint32_t* claimed = of_instance(v_.scratch.claim_count, part);
    for (int segment = 0; segment < v_.segments; ++segment) {
      __syncthreads();
      for (int b = threadIdx.x; b < v_.buckets; b += block_points)
        room_[b] = capacity_ - min(min(__ldcg(inserted + b), capacity_) + __ldcg(claimed + b), capacity_);
      zero_local();
      for_points(part, [&](unsigned i) {
        if (state.offset[i] >= capacity_) search(part, state, i, segment);
      });
      commit_local(claimed);
      for_points(part, [&](unsigned i) {
        if (!(state.offset[i] & leftover_bit)) return;
        const unsigned candidate = state.other[i];
        const unsigned place = min(__ldcg(inserted + candidate), capacity_) + local_[candidate] +
                               (state.offset[i] & ~leftover_bit);
        state.offset[i] = min(place, capacity_);
        if (place < capacity_)
          state.bucket[i] = static_cast<std::uint16_t>(candidate);
        else
          events_.add(failures);
      });
    }
    zero_local();
    for_points(part, [&](unsigned i) {
      if (state.offset[i] < capacity_) return;
      events_.add(shared_atomics);
      state.offset[i] = leftover_bit | atomicAdd(local_ + state.bucket[i], 1u);
    });
    commit_local(of_instance(v_.scratch.leftover_count, part));
    for_points(part, [&](unsigned i) {
      if (state.offset[i] & leftover_bit) state.offset[i] += local_[state.bucket[i]];
    });
  }

  /// Claims the first bucket with room in the segment's probes: the offset becomes leftover_bit | rank of the
  /// claim in this block.
  __device__ void search(const instance_part& part, const point_states& state, unsigned i, int segment) {
    const voxel at = voxel_of(part, i);
    const int end = v_.probes * (segment + 1) / v_.segments;
    for (int probe = v_.probes * segment / v_.segments; probe < end; ++probe) {
      const unsigned candidate = probe_.look(part.begin + i, at, probe);
      events_.add(probes);
      if (candidate == state.bucket[i] || room_[candidate] == 0) continue;
      events_.add(attempts);
      events_.add(shared_atomics);
      state.other[i] = static_cast<std::uint16_t>(candidate);
      state.offset[i] = leftover_bit | atomicAdd(local_ + candidate, 1u);
      return;
    }
  }

  /// Leftovers into free places, and all points to their rows.
  __device__ void place(const instance_part& part) {
    const point_states state = states_of(part);
    const std::uint32_t* inserted = of_instance(v_.scratch.insert_count, part);
    const std::uint32_t* claimed = of_instance(v_.scratch.claim_count, part);
    const std::uint32_t* left = of_instance(v_.scratch.leftover_count, part);
    zero_local();
    const fill_tables tables{room_, leftover_begin_};
    tables.fill(
        v_.buckets, capacity_,
        [&](int b) { return min(min(__ldcg(inserted + b), capacity_) + __ldcg(claimed + b), capacity_); },
        [&](int b) {
          return v_.probes > 0 ? __ldcg(left + b) : max(__ldcg(inserted + b), capacity_) - capacity_;
        },
        [&](int b, unsigned before, unsigned final_count) {
          bucket_begin_[b] = before;
          if (part.number > 0) return;
          of_instance(v_.bucket_count, part)[b] = final_count;
          of_instance(v_.bucket_end, part)[b] = before + final_count;
        });
    const unsigned first_leftover = v_.probes > 0 ? leftover_bit : capacity_;
    for_points(part, [&](unsigned i) {
      unsigned bucket = state.bucket[i], offset = state.offset[i];
      if (offset >= first_leftover) {
        events_.add(leftovers);
        const uint2 found = tables.place_of(bucket, offset - first_leftover, v_.buckets, capacity_);
        bucket = found.x;
        offset = found.y;
      }
      v_.bucket_id[part.begin + i] = static_cast<std::uint16_t>(bucket);
      v_.bucket_off[part.begin + i] = offset;
      const unsigned row =
          v_.row_of(part.instance, part.instance_begin, bucket, bucket_begin_[bucket], offset);
      if (held_ == 0) return v_.write_row(row, part.begin + i);
      state.bucket[i] = static_cast<std::uint16_t>(bucket);
      rows_.row(i) = row;
      state.other[i] = static_cast<std::uint16_t>(atomicAdd(local_ + bucket, 1u));
    });
    if (held_ > 0) write_in_row_order(part, state);
    if (v_.strided) pad_buckets(part);
    __syncthreads();
  }

  __device__ void write_in_row_order(const instance_part& part, const point_states& state) {
    __syncthreads();
    sum_in_order<unsigned>(
        v_.buckets, [&](int b) { return local_[b]; },
        [&](int b, unsigned before, unsigned) { local_[b] = before; });
    for_points(part, [&](unsigned i) { rows_.put(local_[state.bucket[i]] + state.other[i], i); });
    __syncthreads();
    rows_.write(v_, part, [&](unsigned i) { return rows_.row(i); });
  }

  /// The free places of this part's share of the buckets.
  __device__ void pad_buckets(const instance_part& part) const {
    const auto buckets = static_cast<unsigned>(v_.buckets);
    const unsigned points = v_.end_of(part.instance) - part.instance_begin;
    for (unsigned b = part.number; b < buckets; b += part.parts) {
      const unsigned end = b + 1 < buckets ? bucket_begin_[b + 1] : points;
      for (unsigned place = end - bucket_begin_[b] + threadIdx.x; place < capacity_; place += block_points)
        v_.write_padding(v_.row_of(part.instance, part.instance_begin, b, 0, place));
    }
  }

  __device__ voxel voxel_of(const instance_part& part, unsigned i) const {
    return view::voxel_at(held_ > 0 ? rows_.coordinates(i) : v_.coordinates + 3ull * (part.begin + i), box_);
  }

  __device__ point_states states_of(const instance_part& part) const {
    if (held_ > 0) return own_;
    return {v_.bucket_off + part.begin, v_.bucket_id + part.begin, v_.scratch.found + part.begin};
  }

  __device__ std::uint32_t* of_instance(std::uint32_t* array, const instance_part& part) const {
    return array + static_cast<std::int64_t>(part.instance) * v_.buckets;
  }

  /// `work(i)` for each point of the part that is this thread's, the same points in every phase.
  template <class Work>
  __device__ void for_points(const instance_part& part, Work work) {
    for (unsigned i = threadIdx.x; i < part.end - part.begin; i += block_points) work(i);
  }

  __device__ void zero_local() {
    __syncthreads();
    for (int b = threadIdx.x; b < v_.buckets; b += block_points) local_[b] = 0;
    __syncthreads();
  }

  /// Adds the block's counts to the counters and leaves in their places what each counter had before.
  __device__ void commit_local(std::uint32_t* counters) {
    __syncthreads();
    for (int b = threadIdx.x; b < v_.buckets; b += block_points) {
      if (local_[b] == 0) continue;
      local_[b] = atomicAdd(counters + b, local_[b]);
      events_.add(global_atomics);
    }
    __syncthreads();
  }

  const view& v_;
  const bool isotropic_;
  const unsigned held_;  ///< points for which the block has shared memory; 0 = none is held
  const unsigned capacity_;
  const probing probe_;
  std::uint32_t *const local_, *const room_, *const leftover_begin_, *const bucket_begin_;  ///< [buckets]
  staging rows_;
  const point_states own_;  ///< [held]
  voxel_scale box_{};
  tally<Instrumented> events_;
};

}  // namespace

template <bool Instrumented>
__global__ __launch_bounds__(block_points) void bucket_in_one_launch(view v, bool isotropic, unsigned held) {
  extern __shared__ uint4 shared_words[];
  resident_bucketing<Instrumented>(v, isotropic, held, reinterpret_cast<std::uint32_t*>(shared_words)).run();
}

void two_stage_resident(launcher& to, const problem& p, const switches&) {
  const unsigned blocks = resident_blocks(to, p);
  const std::size_t fixed = sizeof(std::uint32_t) * (max_probes + 4 * static_cast<std::size_t>(p.buckets));
  const held_part held(to, p, blocks, fixed, staging::bytes_per_point + point_states::bytes_per_point);
  with_form(p, [&](auto instrumented) {
    launch(to, bucket_in_one_launch<instrumented>,
           geometry{.grid = dim3(blocks),
                    .block = dim3(block_points),
                    .dynamic_shared_bytes = held.dynamic_shared_bytes,
                    .cooperative = true},
           view(p), p.quantization == quantization::isotropic, held.points);
  });
  scatter_features(to, p);
}

}  // namespace ablate::psh_bucket
