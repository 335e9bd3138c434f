// dW_q = Σ over the pairs (i, j) of list q of dY[j]ᵀ · X[i], by mma.sync. A block takes a split of one list,
// of fixed length, and a square of (out channel, in channel); 32 pairs a step, whose rows of both it gathers
// into one of four stages of shared memory. Both operands are stored there by pair, so both are loaded
// transposed. A list of one split is written at once. The others' splits are parts in scratch, added up in
// order: no atomics, the same bits each time. db = Σ_j dY[j] in the same way, by ranges of rows.
//
// Should move: L2 bytes, since a pair's rows are gathered once a square.
#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/sparse_conv/weight_gradient.h"

namespace ablate::sparse_conv {

constexpr int step_pairs = 32, gradient_stages = 4, max_split = 1024;

template <int Side>
struct square_shape {
  static constexpr int side = Side;
  static constexpr int warps_down = 2, warps_across = Side == 128 ? 4 : 2;
  static constexpr int threads = 32 * warps_down * warps_across;
  static constexpr int warp_rows = Side / warps_down, warp_columns = Side / warps_across;
  static constexpr int groups = warp_rows / 16, fragments = warp_columns / 8;
  using rows = mma::swizzled_rows<Side>;
  static constexpr unsigned operand_bytes = step_pairs * rows::row_bytes, stage_bytes = 2 * operand_bytes;
  static constexpr unsigned all_stages = gradient_stages * stage_bytes;
};

struct gradient_lists {
  const piece* splits;
  const std::int32_t *in_rows, *out_rows;
  const std::uint16_t *x, *out_gradient;
  float *gradient, *parts;
  int channels, offsets;
};

template <class Shape>
struct gradient_product {
  const gradient_lists& s;
  const int *in_rows, *out_rows;  ///< of the split's pairs, in shared memory
  int pairs, first_out, first_in;
  unsigned stages;

  /// Rows of one operand, from its column `first` on; past the last pair zeros.
  __device__ void copy_rows(const std::uint16_t* from, const int* of_pairs, int first, int step,
                            unsigned to) const {
    constexpr int pieces = Shape::rows::chunks, at_once = Shape::threads / pieces;
    const int piece = static_cast<int>(threadIdx.x) % pieces;
#pragma unroll
    for (int i = 0; i < step_pairs / at_once; ++i) {
      const int row = static_cast<int>(threadIdx.x) / pieces + i * at_once, pair = step * step_pairs + row;
      const bool is_there = pair < pairs;
      const long long from_row = is_there ? of_pairs[pair] : 0;
      mma::copy_async_or_zero(
          to + Shape::rows::place(static_cast<unsigned>(row), static_cast<unsigned>(piece)),
          from + from_row * s.channels + first + piece * 8, is_there);
    }
  }

  __device__ unsigned stage(int step) const {
    return stages + static_cast<unsigned>(step % gradient_stages) * Shape::stage_bytes;
  }
  __device__ void copy(int step) const {
    copy_rows(s.out_gradient, out_rows, first_out, step, stage(step));
    copy_rows(s.x, in_rows, first_in, step, stage(step) + Shape::operand_bytes);
  }

  __device__ static int warp_row() {
    return static_cast<int>(threadIdx.x) / 32 / Shape::warps_across * Shape::warp_rows;
  }
  __device__ static int warp_column() {
    return static_cast<int>(threadIdx.x) / 32 % Shape::warps_across * Shape::warp_columns;
  }

  __device__ void multiply(int step, float (&d)[Shape::groups][Shape::fragments][4]) const {
    using rows = typename Shape::rows;
    const unsigned lane = threadIdx.x % 32, outs = stage(step), ins = outs + Shape::operand_bytes;
#pragma unroll
    for (int k = 0; k < step_pairs / 16; ++k) {
      const unsigned further = static_cast<unsigned>(k) * 16 * rows::row_bytes;
      unsigned a[Shape::groups][4];
      // Transposed, what would be columns of B are rows of A: out channels, and pairs run along them.
#pragma unroll
      for (int g = 0; g < Shape::groups; ++g)
        mma::load_matrices_transposed(
            a[g], outs + further +
                      rows::moved(rows::place_by_columns(lane), static_cast<unsigned>(warp_row()) / 16 + g));
#pragma unroll
      for (int j = 0; j < Shape::fragments / 2; ++j) {
        unsigned b[4];
        mma::load_matrices_transposed(
            b, ins + further +
                   rows::moved(rows::place_by_rows(lane), static_cast<unsigned>(warp_column()) / 16 + j));
#pragma unroll
        for (int g = 0; g < Shape::groups; ++g)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            mma::multiply_add(d[g][2 * j + half], a[g], b[2 * half], b[2 * half + 1]);
      }
    }
  }

  __device__ void run(float (&d)[Shape::groups][Shape::fragments][4]) const {
    const int count = (pairs + step_pairs - 1) / step_pairs;
#pragma unroll
    for (int step = 0; step < gradient_stages - 1; ++step) {
      if (step < count) copy(step);
      mma::copy_commit();
    }
    for (int step = 0; step < count; ++step) {
      mma::copy_wait<gradient_stages - 2>();
      __syncthreads();
      if (step + gradient_stages - 1 < count) copy(step + gradient_stages - 1);
      mma::copy_commit();
      multiply(step, d);
    }
    mma::copy_wait<0>();
  }
};

/// Neighboring blocks handle the same split and other squares.
template <class Shape>
__global__ __launch_bounds__(Shape::threads, 2) void multiply_gradients(gradient_lists s) {
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ int in_rows[max_split], out_rows[max_split];
  const int across = s.channels / Shape::side, square = static_cast<int>(blockIdx.x) % (across * across);
  const piece split = s.splits[static_cast<int>(blockIdx.x) / (across * across)];
  for (int i = static_cast<int>(threadIdx.x); i < split.count; i += Shape::threads) {
    in_rows[i] = s.in_rows[split.first + i];
    out_rows[i] = s.out_rows[split.first + i];
  }
  __syncthreads();
  const int first_out = square / across * Shape::side, first_in = square % across * Shape::side;
  float d[Shape::groups][Shape::fragments][4] = {};
  using product = gradient_product<Shape>;
  product{s, in_rows, out_rows, split.count, first_out, first_in, mma::shared_address(stages)}.run(d);

  // A part is [out][in]; in the gradient an out channel has all offsets.
  const bool is_all = split.part < 0;
  const long long row_length = is_all ? static_cast<long long>(s.offsets) * s.channels : s.channels;
  float* const to = is_all ? s.gradient + static_cast<long long>(split.list) * s.channels
                           : s.parts + static_cast<long long>(split.part) * s.channels * s.channels;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int g = 0; g < Shape::groups; ++g)
#pragma unroll
    for (int j = 0; j < Shape::fragments; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_out + product::warp_row() + 16 * g + lane / 4 + 8 * half;
        const int column = first_in + product::warp_column() + 8 * j + lane % 4 * 2;
        *reinterpret_cast<float2*>(to + row * row_length + column) =
            float2{d[g][j][2 * half], d[g][j][2 * half + 1]};
      }
}

template <int Side>
void multiply_squares(launcher& to, const problem& p) {
  using Shape = square_shape<Side>;
  const std::int64_t across = p.in_channels / Side;
  const gradient_lists lists{p.splits, p.in_rows,     p.out_rows, p.x, p.out_gradient, p.weight_gradient_out,
                             p.parts,  p.in_channels, p.offsets()};
  launch(to, multiply_gradients<Shape>, dim3(static_cast<unsigned>(p.split_count * across * across)),
         dim3(Shape::threads), Shape::all_stages, lists);
}

constexpr int sum_threads = 256;

/// blockIdx.y: a list. Four in channels a thread.
__global__ __launch_bounds__(sum_threads) void add_parts_of_lists(problem p) {
  const int q = static_cast<int>(blockIdx.y), first = p.part_ends[q], last = p.part_ends[q + 1];
  const bool is_empty = p.ends[q] == p.ends[q + 1];
  const int of_list = p.out_channels * p.in_channels;
  const int i = static_cast<int>(blockIdx.x * sum_threads + threadIdx.x) * 4;
  if (i >= of_list || (first == last && !is_empty)) return;
  float4 sum{};
  for (int part = first; part < last; ++part) {
    const float4 other =
        *reinterpret_cast<const float4*>(p.parts + static_cast<long long>(part) * of_list + i);
    sum = {sum.x + other.x, sum.y + other.y, sum.z + other.z, sum.w + other.w};
  }
  const int out = i / p.in_channels, in = i % p.in_channels;
  *reinterpret_cast<float4*>(p.weight_gradient_out +
                             (static_cast<long long>(out) * p.offsets() + q) * p.in_channels + in) = sum;
}

void add_parts(launcher& to, const problem& p) {
  launch(to, add_parts_of_lists,
         dim3(blocks_for(static_cast<long long>(p.out_channels) * p.in_channels, 4 * sum_threads),
              static_cast<unsigned>(p.offsets())),
         dim3(sum_threads), 0, p);
}

/// A range of rows; two columns a thread, as many rows at a time as threads are left.
__global__ __launch_bounds__(sum_threads) void add_rows(const std::uint16_t* rows, float* sums, int count,
                                                        int columns) {
  __shared__ float2 of_lanes[sum_threads];
  const int pairs = columns / 2, lanes = sum_threads / pairs;
  const int pair = static_cast<int>(threadIdx.x) % pairs, lane = static_cast<int>(threadIdx.x) / pairs;
  const int each = (count + bias_parts - 1) / bias_parts, first = static_cast<int>(blockIdx.x) * each;
  const int last = min(first + each, count);
  float2 sum{};
#pragma unroll 4
  for (int row = first + lane; row < last; row += lanes) {
    const float2 x = __bfloat1622float2(
        *reinterpret_cast<const __nv_bfloat162*>(rows + static_cast<long long>(row) * columns + 2 * pair));
    sum = {sum.x + x.x, sum.y + x.y};
  }
  of_lanes[threadIdx.x] = sum;
  __syncthreads();
  if (lane != 0) return;
  for (int other = 1; other < lanes; ++other) {
    const float2 x = of_lanes[other * pairs + pair];
    sum = {sum.x + x.x, sum.y + x.y};
  }
  *reinterpret_cast<float2*>(sums + static_cast<long long>(blockIdx.x) * columns + 2 * pair) = sum;
}

__global__ void add_bias_parts(const float* sums, float* gradient, int columns) {
  const int column = static_cast<int>(threadIdx.x);
  float sum = 0;
#pragma unroll 8
  for (int part = 0; part < bias_parts; ++part) sum += sums[part * columns + column];
  gradient[column] = sum;
}

void multiply_lists_of_gradients(launcher& to, const problem& p) {
  if (p.in_channels == 32)
    multiply_squares<32>(to, p);
  else if (p.in_channels == 64)
    multiply_squares<64>(to, p);
  else
    multiply_squares<128>(to, p);
  add_parts(to, p);
  if (!p.has_bias) return;
  launch(to, add_rows, dim3(bias_parts), dim3(sum_threads), 0, p.out_gradient, p.bias_sums,
         static_cast<int>(p.rows), p.out_channels);
  launch(to, add_bias_parts, dim3(1), dim3(static_cast<unsigned>(p.out_channels)), 0, p.bias_sums,
         p.bias_gradient, p.out_channels);
}

}  // namespace ablate::sparse_conv
