#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/convolution/convolution.h"

namespace ablate::convolution {

/// Threads of a block along x and y; a warp is a row of 32.
constexpr int threads_across = 32, threads_down = 8, block_threads = threads_across * threads_down;

/// The problem as passed to a kernel, by value in the constant bank.
template <int Filter>
struct view {
  static constexpr int radius = Filter / 2;
  const float* __restrict__ in;
  float* __restrict__ out;
  int width, height;
  float weights[Filter][Filter];

  explicit view(const problem& p)
      : in(p.in), out(p.out), width(static_cast<int>(p.width)), height(static_cast<int>(p.height)) {
    for (int dy = 0; dy < Filter; ++dy)
      for (int dx = 0; dx < Filter; ++dx)
        weights[dy][dx] = p.weights[static_cast<std::size_t>(dy * Filter + dx)];
  }

  /// The image at a place, 0 outside.
  __device__ float at(int y, int x) const {
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    return inside ? in[static_cast<long long>(y) * width + x] : 0.0f;
  }
};

/// One output of a thread: the weighted sum of what `at(dy, dx)` gives.
template <int Filter, class At>
__device__ float weighted_sum(const view<Filter>& v, At at) {
  float sum = 0;
  for (int dy = 0; dy < Filter; ++dy)
#pragma unroll
    for (int dx = 0; dx < Filter; ++dx) sum += v.weights[dy][dx] * at(dy, dx);
  return sum;
}

/// Four neighboring outputs of a thread, aligned to four, from rows of the image. A row is read four columns
/// at a time, from `margin` columns before the outputs to as many after.
constexpr int outputs = 4, block_columns = threads_across * outputs;

template <int Filter>
constexpr int margin = (Filter / 2 + outputs - 1) / outputs* outputs;

/// `four(dy, x)` gives the columns x … x + 3, counted from `margin` ahead of the first output.
template <int Filter, class Four>
__device__ float4 four_weighted_sums(const view<Filter>& v, Four four) {
  constexpr int ahead = margin<Filter>, first_tap = ahead - Filter / 2;
  float sums[outputs] = {};
  for (int dy = 0; dy < Filter; ++dy) {
    float row[outputs + 2 * ahead];
#pragma unroll
    for (int x = 0; x < outputs + 2 * ahead; x += outputs) {
      const float4 columns = four(dy, x);
      row[x] = columns.x, row[x + 1] = columns.y, row[x + 2] = columns.z, row[x + 3] = columns.w;
    }
#pragma unroll
    for (int dx = 0; dx < Filter; ++dx)
#pragma unroll
      for (int i = 0; i < outputs; ++i) sums[i] += v.weights[dy][dx] * row[first_tap + dx + i];
  }
  return make_float4(sums[0], sums[1], sums[2], sums[3]);
}

/// Of two rows of outputs, four a row: each row of the image is read once for both. `four(dy, x)` counts rows
/// from the first one that the upper outputs need.
template <int Filter, class Four>
__device__ void eight_weighted_sums(const view<Filter>& v, Four four, float4& upper, float4& lower) {
  constexpr int ahead = margin<Filter>, first_tap = ahead - Filter / 2;
  float sums[2][outputs] = {};
  for (int dy = 0; dy <= Filter; ++dy) {
    float row[outputs + 2 * ahead];
#pragma unroll
    for (int x = 0; x < outputs + 2 * ahead; x += outputs) {
      const float4 columns = four(dy, x);
      row[x] = columns.x, row[x + 1] = columns.y, row[x + 2] = columns.z, row[x + 3] = columns.w;
    }
    if (dy < Filter) {
#pragma unroll
      for (int dx = 0; dx < Filter; ++dx)
#pragma unroll
        for (int i = 0; i < outputs; ++i) sums[0][i] += v.weights[dy][dx] * row[first_tap + dx + i];
    }
    if (dy > 0) {
#pragma unroll
      for (int dx = 0; dx < Filter; ++dx)
#pragma unroll
        for (int i = 0; i < outputs; ++i) sums[1][i] += v.weights[dy - 1][dx] * row[first_tap + dx + i];
    }
  }
  upper = make_float4(sums[0][0], sums[0][1], sums[0][2], sums[0][3]);
  lower = make_float4(sums[1][0], sums[1][1], sums[1][2], sums[1][3]);
}

/// How four columns of a row are read or written: float by float, or, where the width is a multiple of 4,
/// with one load or store.
enum class row_access { floats, vectors };

/// Columns x … x + 3 of a row of the image, 0 outside; x is a multiple of 4.
template <row_access Access, int Filter>
__device__ float4 four_columns(const view<Filter>& v, int y, int x) {
  if constexpr (Access == row_access::vectors) {
    const bool inside = y >= 0 && y < v.height && x >= 0 && x < v.width;
    if (!inside) return make_float4(0, 0, 0, 0);
    return *reinterpret_cast<const float4*>(v.in + static_cast<long long>(y) * v.width + x);
  } else {
    return make_float4(v.at(y, x), v.at(y, x + 1), v.at(y, x + 2), v.at(y, x + 3));
  }
}

template <row_access Access, int Filter>
__device__ void store_four(const view<Filter>& v, int y, int x, const float4& sums) {
  if (y >= v.height || x >= v.width) return;
  float* const to = v.out + static_cast<long long>(y) * v.width + x;
  if constexpr (Access == row_access::vectors) {
    *reinterpret_cast<float4*>(to) = sums;
  } else {
    const float values[] = {sums.x, sums.y, sums.z, sums.w};
#pragma unroll
    for (int i = 0; i < outputs; ++i)
      if (x + i < v.width) to[i] = values[i];
  }
}

template <row_access Access>
using accessed_by = std::integral_constant<row_access, Access>;

/// Calls `form(view<Filter>(problem), accessed_by<…>{})`.
template <class Form>
void with_filter(const problem& p, Form form) {
  const auto with = [&](auto v) {
    p.width % 4 == 0 ? form(v, accessed_by<row_access::vectors>{})
                     : form(v, accessed_by<row_access::floats>{});
  };
  switch (p.filter) {
    case 3:
      return with(view<3>(p));
    case 5:
      return with(view<5>(p));
    default:
      return with(view<15>(p));
  }
}

/// Outputs of a thread, by the switch `outputs`: across and down.
struct outputs_of_thread {
  int across, down;

  explicit outputs_of_thread(const switches& s)
      : across(s.word("outputs") == "1" ? 1 : outputs), down(s.word("outputs") == "8" ? 2 : 1) {}
};

inline dim3 blocks_of(const problem& p, const outputs_of_thread& each) {
  return dim3(blocks_for(p.width, threads_across * each.across),
              blocks_for(p.height, threads_down * each.down));
}

inline dim3 threads() { return dim3(threads_across, threads_down); }

}  // namespace ablate::convolution
