#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "oracles/backbone/ptv3_index_reference.h"
#include "oracles/backbone/reference.h"
#include "oracles/pool/index_answer.h"
#include "oracles/pool/index_check.h"
#include "oracles/pool/reference.h"
#include "oracles/psh_bucket/keys.h"
#include "oracles/psh_bucket/reference.h"

namespace ablate::backbone {
namespace {

/// Leading bits of the key by which pool's order cuts points.
constexpr int cut_bits = 12;

std::vector<std::uint16_t> keys_of(const psh_bucket::problem& p) {
  const psh_bucket::bounding_box box = psh_bucket::bounding_box_of(p);
  std::vector<std::uint16_t> keys;
  for (std::int64_t i = 0; i < p.points; ++i)
    keys.push_back(psh_bucket::key_of(p.hash, psh_bucket::voxel_of(p, box, p.coordinates + 3 * i)));
  return keys;
}

/// Calls `use(begin, end)` with each instance's points.
template <class Use>
void each_instance(const psh_bucket::problem& p, Use use) {
  std::uint32_t begin = 0;
  for (int k = 0; k < p.instances; begin = p.ends[k++]) use(begin, p.ends[k]);
}

void sort_by_key(const psh_bucket::problem& p) {
  const std::vector<std::uint16_t> keys = keys_of(p);
  each_instance(p, [&](std::uint32_t begin, std::uint32_t end) {
    std::iota(p.source + begin, p.source + end, begin);
    std::stable_sort(p.source + begin, p.source + end,
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  });
  for (std::int64_t row = 0; row < p.rows(); ++row) {
    const bool is_real = row < p.points;
    if (!is_real) p.source[row] = static_cast<std::uint32_t>(p.points);
    for (int axis = 0; axis < 3; ++axis)
      p.scattered[3 * row + axis] =
          is_real ? p.coordinates[3 * std::int64_t{p.source[row]} + axis] : psh_bucket::padding_half;
  }
}

void hash_points(psh_bucket::problem p) {
  std::vector<std::uint16_t> id(static_cast<std::size_t>(p.points));
  std::vector<std::uint32_t> off(id.size());
  std::vector<std::uint32_t> count(static_cast<std::size_t>(p.instances) *
                                   static_cast<std::size_t>(p.buckets));
  std::vector<std::uint32_t> end(count.size());
  p.bucket_id = id.data();
  p.bucket_off = off.data();
  p.bucket_count = count.data();
  p.bucket_end = end.data();
  psh_bucket::reference(p);
}

std::string violated_order(const psh_bucket::problem& p, bool is_cut) {
  std::vector<std::uint16_t> keys;
  if (is_cut) keys = keys_of(p);
  std::vector<bool> met(static_cast<std::size_t>(p.points));
  std::string violation;
  each_instance(p, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t row = begin; row < end && violation.empty(); ++row) {
      const std::uint32_t point = p.source[row];
      if (point < begin || point >= end || met[point]) {
        violation = fmt::format("order: row {} has point {}, expected each of the points {} to {} once", row,
                                point, begin, end - 1);
        return;
      }
      met[point] = true;
      if (!std::equal(p.scattered + 3 * row, p.scattered + 3 * (row + 1), p.coordinates + 3 * point))
        violation = fmt::format("order: row {} does not have the coordinates of its point {}", row, point);
      if (!is_cut || row == begin) continue;
      const int shift = 16 - cut_bits, before = keys[p.source[row - 1]] >> shift, here = keys[point] >> shift;
      if (here < before)
        violation = fmt::format("order: row {} has cell {} of the key, behind cell {}", row, here, before);
    }
  });
  return violation;
}

std::string violated_clusters(const problem& p, const network& n, const step& s) {
  std::int32_t promises = pool::ordered_blocks;
  const pool::checked_problem pooling{pooling_of(p, n, s), &promises};
  return pool::violated_index(pooling, pool::answer_of(pooling), true).value_or("");
}

std::string violated_step(const problem& p, const network& n, const step& s) {
  if (s.kind == step_kind::order) return violated_order(ordering_of(p, n, s), p.order == point_order::cut);
  const std::string violation = s.kind == step_kind::cluster && !n.pools_by_grid()
                                    ? violated_clusters(p, n, s)
                                    : violated_ptv3_step(p, n, s);
  return violation.empty() ? "" : s.name + ": " + violation;
}

}  // namespace

void make_index(const problem& p, const network& n) {
  for (const step& s : n.steps)
    if (s.kind == step_kind::order)
      p.order == point_order::cut ? sort_by_key(ordering_of(p, n, s)) : hash_points(ordering_of(p, n, s));
    else if (s.kind == step_kind::cluster)
      pool::reference(pooling_of(p, n, s));
    else
      make_ptv3_step(p, n, s);
}

std::string violated_index(const problem& p, const network& n) {
  for (const step& s : n.steps)
    if (std::string violation = violated_step(p, n, s); !violation.empty()) return violation;
  return {};
}

}  // namespace ablate::backbone
