#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/common/mixed.h"
#include "oracles/kernel_map/reference.h"

namespace ablate::kernel_map::test_support {

using rows = std::vector<std::array<std::int32_t, 4>>;  ///< batch, x, y, z

/// Kernels of every kind: odd, even, of one number and of three.
constexpr std::array<int, 3> kernels[] = {{1, 1, 1},   {3, 3, 3},  {5, 5, 5},   {7, 7, 7}, {9, 9, 9},
                                          {2, 2, 2},   {4, 4, 4},  {3, 3, 5},   {9, 5, 3}, {13, 13, 1},
                                          {1, 11, 13}, {5, 25, 1}, {11, 11, 11}};

inline std::string name_of(const std::array<int, 3>& k) {
  return std::to_string(k[0]) + "x" + std::to_string(k[1]) + "x" + std::to_string(k[2]);
}

inline problem shape(const std::array<int, 3>& kernel, bool guards = true, int stride = 1, int dilation = 1) {
  problem p;
  p.kernel = kernel;
  p.guards = guards;
  p.stride = {stride, stride, stride};
  p.dilation = {dilation, dilation, dilation};
  return p;
}

/// A map with host memory of its own, made by the reference.
struct host_map {
  host_map(const problem& of, const rows& in, const rows& out)
      : p{of}, ends(p.offsets() + 1), digest(p.digests()) {
    p.rows = static_cast<std::int64_t>(in.size());
    p.outs = static_cast<std::int64_t>(out.size());
    p.same = &in == &out;
    p.coordinates = in.empty() ? nullptr : in.front().data();
    p.out_coordinates = out.empty() ? nullptr : out.front().data();
    p.ends = ends.data(), p.digest = digest.data(), p.status = &status;
    if (p.capacity == 0) p.capacity = p.offsets() * p.outs;
    in_rows.assign(static_cast<std::size_t>(p.capacity) + 1, -7);
    out_rows = in_rows;
    p.in_rows = in_rows.data(), p.out_rows = out_rows.data();
    reference(p);
  }
  host_map(const problem& of, const rows& all) : host_map(of, all, all) {}
  host_map(const host_map&) = delete;
  host_map& operator=(const host_map&) = delete;

  std::int64_t pairs_of(int q) const { return ends[q + 1] - ends[q]; }
  double pairs_per_query() const { return static_cast<double>(ends.back()) / static_cast<double>(p.outs); }

  /// (offset, in row, out row), sorted.
  std::vector<std::tuple<int, std::int32_t, std::int32_t>> triples() const;

  checked_problem p;
  std::vector<std::int64_t> ends;
  std::vector<std::uint64_t> digest;
  std::vector<std::int32_t> in_rows, out_rows;  ///< and one more place, that must stay −7
  std::int32_t status = -7;
};

inline std::vector<std::tuple<int, std::int32_t, std::int32_t>> host_map::triples() const {
  std::vector<std::tuple<int, std::int32_t, std::int32_t>> all;
  for (int q = 0; q < p.offsets(); ++q)
    for (std::int64_t i = ends[q]; i < ends[q + 1]; ++i) all.emplace_back(q, in_rows[i], out_rows[i]);
  std::sort(all.begin(), all.end());
  return all;
}

/// So many different rows at random places of a box of `edge`³ voxels from `low` on, in the batches by turns.
inline rows random_rows(int count, int edge, const std::array<int, 3>& low, std::uint64_t seed,
                        const std::vector<std::int32_t>& batches = {0}) {
  std::set<std::array<std::int32_t, 4>> known;
  rows all;
  for (std::uint64_t state = seed; static_cast<int>(all.size()) < count;) {
    state = mixed(state + 0x9e3779b97f4a7c15);
    const auto place = [&](int axis) { return low[axis] + static_cast<int>((state >> 20 * axis) % edge); };
    const std::array row = {batches[all.size() % batches.size()], place(0), place(1), place(2)};
    if (known.insert(row).second) all.push_back(row);
  }
  return all;
}

}  // namespace ablate::kernel_map::test_support
