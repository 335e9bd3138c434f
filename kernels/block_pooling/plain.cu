// The yardstick on the device: the rows in fp32, a warp a row, one token after the other, and compared at
// once, so that nothing is kept; and the inputs, which are made on the device. Nothing here is measured. Its
// own arithmetic is held against the fp64 oracle at the sampled rows.
#include <cuda_bf16.h>

#include "kernels/block_pooling/view.cuh"
#include "kernels/window_attention/plain_rows.cuh"

namespace ablate::block_pooling {

constexpr int compared = 2 * tensors;  ///< pooled q, k, v; those of all tokens

__device__ float sum_of_warp(float x) {
  for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
  return x;
}
__device__ float most_of_warp(float x) {
  for (int far = 16; far > 0; far /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, far));
  return x;
}

/// The lane's elements, 2 l and 2 l + 1, of a row, and what it accepts beside an ulp (tolerance_of).
struct plain_row {
  float x[2];
  float floor;
};

__device__ float2 elements_of(const unsigned char* row) {
  return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(row + threadIdx.x % 32 * 4));
}

/// The mean place of tokens, truncated: of one token, or of a block's.
__device__ image_place plain_place(int first, int count) {
  image_place sum{};
  for (int token = first; token < first + count; ++token) {
    const int in_image = token % tokens_of_image, patches = in_image / patch_block;
    sum.column += patches % columns_of_blocks * 4 + in_image % 4;
    sum.row += patches / columns_of_blocks * 4 + in_image % patch_block / 4;
  }
  return {sum.column / count, sum.row / count};
}

/// Normalized and rotated.
__device__ plain_row plain_normalized(const view& v, int which, float2 x, const image_place& place) {
  const int lane = static_cast<int>(threadIdx.x) % 32, element = 2 * lane;
  const float mean = sum_of_warp(x.x + x.y) / width;
  const float variance = sum_of_warp((x.x - mean) * (x.x - mean) + (x.y - mean) * (x.y - mean)) / width;
  const float deviation_of_row = sqrtf(variance + epsilon);
  const float* const weights = v.norm + which * 2 * width + element;
  const float y[2] = {(x.x - mean) / deviation_of_row * weights[0] + weights[width],
                      (x.y - mean) / deviation_of_row * weights[1] + weights[width + 1]};
  const int position = element < width / 2 ? place.row : place.column;
  plain_row row;
  for (int i = 0; i < 2; ++i) {
    const float* const turn = v.rotations + 2 * (position * angles + element % angles + i);
    const float other = __shfl_xor_sync(~0u, y[i], angles / 2);
    row.x[i] =
        element / angles % 2 == 0 ? y[i] * turn[0] - other * turn[1] : y[i] * turn[0] + other * turn[1];
  }
  row.floor = accepted_of_normalized *
              most_of_warp(fmaxf(isfinite(y[0]) ? fabsf(y[0]) : 0, isfinite(y[1]) ? fabsf(y[1]) : 0));
  return row;
}

/// Of all tokens.
__device__ plain_row plain_token(const view& v, int which, const row_place& at) {
  const float2 x = elements_of(v.input_row(which, at.head, at.row));
  if (which < 2) return plain_normalized(v, which, x, plain_place(at.row, 1));
  return {{x.x, x.y}, 0};
}

__device__ plain_row plain_mean(const view& v, int which, int head, const token_span& span,
                                bool of_normalized) {
  plain_row mean{};
  float squares[2] = {};
  const int first = static_cast<int>(span.first);
  const auto count = static_cast<float>(span.count);
  for (int token = first; token < first + span.count; ++token) {
    if (of_normalized) {
      const plain_row row = plain_token(v, which, {head, token});
      for (int i = 0; i < 2; ++i) mean.x[i] += row.x[i] / count;
      mean.floor = fmaxf(mean.floor, row.floor);
    } else {
      const float2 x = elements_of(v.input_row(which, head, token));
      mean.x[0] += x.x / count;
      mean.x[1] += x.y / count;
      squares[0] += window_attention::finite_square(x.x);
      squares[1] += window_attention::finite_square(x.y);
    }
  }
  if (!of_normalized)
    mean.floor = accepted_of_mean * most_of_warp(sqrtf(fmaxf(squares[0], squares[1]))) / count;
  return mean;
}

/// What the check compares: of tensors 0, 1, 2 the pooled rows, of 3, 4, 5 those of all tokens.
struct compared_rows {
  view v;
  block_layout layout;
  bool is_pre, with_tokens;

  __device__ bool is_of_tokens(int of) const { return of >= tensors; }
  __device__ int rows(int of) const { return is_of_tokens(of) ? v.tokens : v.blocks; }
  __device__ row_place place(int of, int index) const { return {index / rows(of), index % rows(of)}; }
  __device__ const unsigned char* seen(int of, const row_place& at) const {
    return is_of_tokens(of) ? v.token_row(of % tensors, at) : v.pooled_row(of, at);
  }
  /// Bitwise copies may not be off at all.
  __device__ bool is_copy(int of) const { return of == tensors + 2; }

  __device__ plain_row expected(int of, const row_place& at) const {
    if (is_of_tokens(of)) return plain_token(v, of % tensors, at);
    const token_span span = layout.span(at.row);
    if (of == 2 || (!is_pre && !with_tokens)) return plain_mean(v, of, at.head, span, false);
    if (!is_pre) return plain_mean(v, of, at.head, span, true);
    const plain_row mean = plain_mean(v, of, at.head, span, false);
    return plain_normalized(v, of, {mean.x[0], mean.x[1]}, plain_place(at.row * v.block, v.block));
  }
  /// How far an element is off, in what is accepted.
  __device__ float error(int of, float seen, float expected, float floor) const {
    if (!isfinite(expected)) {
      const bool is_alike = isnan(expected) ? isnan(seen) : seen == expected;
      return is_alike ? 0 : INFINITY;
    }
    if (!isfinite(seen)) return INFINITY;
    const float off = fabsf(seen - expected);
    return off == 0 ? 0 : is_copy(of) ? INFINITY : off / tolerance_of(expected, floor);
  }
};

__global__ void clear_found(deviation* found) { found[threadIdx.x] = {}; }

/// blockIdx.y: what is compared. A warp a row.
__global__ __launch_bounds__(threads_of_block) void find_errors(compared_rows rows, deviation* found) {
  const int of = static_cast<int>(blockIdx.y), count = rows.v.heads * rows.rows(of);
  const int warps = static_cast<int>(gridDim.x) * (threads_of_block / 32);
  double squared_errors = 0;
  unsigned long long over = 0, not_finite = 0, seen_rows = 0, greatest = 0;
  for (int index = static_cast<int>(blockIdx.x * (threads_of_block / 32) + threadIdx.x / 32); index < count;
       index += warps) {
    const row_place at = rows.place(of, index);
    const plain_row expected = rows.expected(of, at);
    const float2 seen = elements_of(rows.seen(of, at));
    const float error = most_of_warp(fmaxf(rows.error(of, seen.x, expected.x[0], expected.floor),
                                           rows.error(of, seen.y, expected.x[1], expected.floor)));
    ++seen_rows;
    over += !(error <= 1);
    if (isfinite(error))
      squared_errors += static_cast<double>(error) * error;
    else
      ++not_finite;
    // Errors are not negative: they are ordered as their bits are.
    greatest = max(greatest, static_cast<unsigned long long>(__float_as_uint(error)) << 32 |
                                 ~static_cast<unsigned>(index));
  }
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&found[of].squared_errors, squared_errors);
  atomicAdd(&found[of].rows, seen_rows);
  atomicAdd(&found[of].rows_over, over);
  atomicAdd(&found[of].rows_not_finite, not_finite);
  atomicMax(&found[of].greatest, greatest);
}

/// A warp for what is compared: the place of the greatest error.
__global__ void describe_greatest(compared_rows rows, deviation* found) {
  const int of = static_cast<int>(blockIdx.x);
  const int index = static_cast<int>(~static_cast<unsigned>(found[of].greatest));
  const row_place at = rows.place(of, index);
  const plain_row expected = rows.expected(of, at);
  const float2 both = elements_of(rows.seen(of, at));
  const float seen[2] = {both.x, both.y};
  float errors[2];
  for (int i = 0; i < 2; ++i) errors[i] = rows.error(of, seen[i], expected.x[i], expected.floor);
  const float greatest = most_of_warp(fmaxf(errors[0], errors[1]));
  const unsigned lanes = __ballot_sync(~0u, fmaxf(errors[0], errors[1]) == greatest);
  if (threadIdx.x != static_cast<unsigned>(__ffs(static_cast<int>(lanes)) - 1)) return;
  const int i = errors[0] == greatest ? 0 : 1;
  found[of].worst = {greatest,      0,      at.row, at.head, static_cast<int>(2 * threadIdx.x) + i,
                     expected.x[i], seen[i]};
}

__global__ void gather_samples(compared_rows rows, const sampled_row* samples, float* out) {
  const sampled_row& at = samples[blockIdx.x];
  *reinterpret_cast<float2*>(out + blockIdx.x * static_cast<long long>(width) + threadIdx.x * 2) =
      elements_of(rows.seen(at.of, {at.head, at.row}));
}

void compare_with_plain(launcher& to, const problem& p) {
  const compared_rows rows{view(p, false), p.layout(), p.mode == mode::pre, p.writes_tokens};
  const unsigned count = p.writes_tokens ? compared : tensors;
  launch(to, clear_found, dim3(1), dim3(compared), 0, p.found);
  launch(to, find_errors, dim3(8 * static_cast<unsigned>(to.device().multiprocessors), count),
         dim3(threads_of_block), 0, rows, p.found);
  launch(to, describe_greatest, dim3(count), dim3(32), 0, rows, p.found);
  launch(to, gather_samples, dim3(static_cast<unsigned>(p.sample_count)), dim3(32), 0, rows, p.samples,
         p.sampled_out);
}

/// Elements of q, k or v (blockIdx.y), in the layout of the inputs.
__global__ __launch_bounds__(threads_of_block) void make_elements(problem p) {
  const int which = static_cast<int>(blockIdx.y);
  auto* const to = const_cast<std::uint16_t*>(p.in[which]);
  for (long long i = blockIdx.x * static_cast<long long>(threads_of_block) + threadIdx.x; i < p.elements();
       i += gridDim.x * static_cast<long long>(threads_of_block)) {
    const int element = static_cast<int>(i % width);
    // Neighboring threads write neighboring elements in either layout.
    const long long row = i / width, head = p.is_packed ? row % p.heads : row / p.tokens,
                    token = p.is_packed ? row / p.heads : row % p.tokens;
    to[head * p.head_stride() + token * p.token_stride() + element] =
        made_bits(p, static_cast<tensor>(which), head, token, element);
  }
}

void make_inputs(launcher& to, const problem& p, const switches&) {
  launch(to, make_elements, dim3(16 * static_cast<unsigned>(to.device().multiprocessors), tensors),
         dim3(threads_of_block), 0, p);
}

}  // namespace ablate::block_pooling
