#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/pool/row_math.cuh"
#include "kernels/pool/scratch.h"

namespace ablate::pool {

constexpr int row_threads = 256;

/// The problem as kernels on feature rows take it.
struct row_view {
  const std::int32_t* count;
  const std::uint32_t* cluster;
  const std::uint16_t *features, *skipped, *down, *row_gradient, *point_gradient;
  const float* norm;
  std::uint16_t *pooled, *finished, *up, *feature_gradient, *down_gradient;
  std::uint8_t* winner;
  unsigned points, known_rows, known_padding;
  int instances, channels;
  bool is_known;  ///< the number of clusters follows from the sizes; else it is on the device

  explicit row_view(const problem& p)
      : count(p.count),
        cluster(p.cluster),
        features(p.features),
        skipped(p.skipped),
        down(p.down),
        row_gradient(p.row_gradient),
        point_gradient(p.point_gradient),
        norm(p.norm),
        pooled(p.pooled),
        finished(p.finished),
        up(p.up),
        feature_gradient(p.feature_gradient),
        down_gradient(p.down_gradient),
        winner(p.winner),
        points(static_cast<unsigned>(p.points)),
        known_rows(static_cast<unsigned>(p.rows)),
        known_padding(p.is_grid() ? 0 : static_cast<unsigned>(p.padded_rows - p.rows)),
        instances(p.instances),
        channels(p.channels),
        is_known(!p.is_grid()) {}

  __device__ unsigned rows() const {
    return is_known ? known_rows : static_cast<unsigned>(__ldg(count + instances));
  }
};

/// A cluster's members, from the index.
struct member_lists {
  const std::uint32_t *start, *member;

  explicit member_lists(const problem& p) : start(p.start), member(p.member) {}
  __device__ unsigned begin(unsigned row) const { return __ldg(start + row); }
  __device__ unsigned end(unsigned row) const { return __ldg(start + row + 1); }
  __device__ unsigned at(unsigned i) const { return __ldg(member + i); }
};

/// From the published table, whose empty places hold no row.
struct member_table {
  const std::uint32_t* table;
  unsigned ratio;

  explicit member_table(const problem& p) : table(scratch(p).table), ratio(p.ratio) {}
  __device__ unsigned begin(unsigned row) const { return row * ratio; }
  __device__ unsigned end(unsigned row) const { return (row + 1) * ratio; }
  __device__ unsigned at(unsigned i) const { return __ldg(table + i); }
};

/// A vector of a row.
__device__ inline const uint4* vector_of(const std::uint16_t* rows, unsigned row, int channels,
                                         unsigned lane) {
  return reinterpret_cast<const uint4*>(rows + static_cast<long long>(row) * channels) + lane;
}
__device__ inline uint4* vector_of(std::uint16_t* rows, unsigned row, int channels, unsigned lane) {
  return reinterpret_cast<uint4*>(rows + static_cast<long long>(row) * channels) + lane;
}

/// Calls `act` with the reduction as a constant.
template <class Act>
void with_reduction(reduction op, Act act) {
  switch (op) {
    case reduction::mean:
      return act(std::integral_constant<reduction, reduction::mean>{});
    case reduction::sum:
      return act(std::integral_constant<reduction, reduction::sum>{});
    case reduction::minimum:
      return act(std::integral_constant<reduction, reduction::minimum>{});
    case reduction::maximum:
      return act(std::integral_constant<reduction, reduction::maximum>{});
  }
}

/// The same with the reduction and whether it keeps winners, which only selecting reductions do.
template <class Act>
void with_reducer(const problem& p, Act act) {
  with_reduction(p.op, [&](auto op) {
    if constexpr (op == reduction::minimum || op == reduction::maximum) {
      if (p.trains) return act(op, std::integral_constant<winners, winners::kept>{});
    }
    act(op, std::integral_constant<winners, winners::dropped>{});
  });
}

}  // namespace ablate::pool
