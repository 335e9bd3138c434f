// The yardstick on the device: the rows in fp32, a warp a row, one token after the other, and compared at
// once, so that nothing is kept; and the inputs, which are made on the device. Nothing here is measured. Its
// own arithmetic is held against the fp64 oracle at the sampled rows.
#include "oracles/block_pooling/compare_rows.cuh"
#include "oracles/block_pooling/launches.h"
#include "oracles/window_attention/plain_rows.cuh"

namespace ablate::block_pooling {

constexpr int compared = 2 * tensors;  ///< pooled q, k, v; those of all tokens

/// Normalized and rotated.
__device__ plain_row plain_normalized(const view& v, int which, float2 x, const image_place& place) {
  const plain_centered centered(x);
  const float* const weights = v.norm + which * 2 * width + plain_element();
  const float2 y{centered.x.x / centered.deviation * weights[0] + weights[width],
                 centered.x.y / centered.deviation * weights[1] + weights[width + 1]};
  const float2 rotated = plain_rotated(v.rotations, y, place, false);
  return {{rotated.x, rotated.y}, accepted_of_normalized * plain_greatest(y)};
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
    mean.floor = accepted_of_mean * max_of_warp(sqrtf(fmaxf(squares[0], squares[1]))) / count;
  return mean;
}

/// What the check compares: of tensors 0, 1, 2 the pooled rows, of 3, 4, 5 those of all tokens.
struct compared_rows {
  view v;
  block_layout layout;
  bool is_pre, with_tokens;

  __device__ bool is_of_tokens(int of) const { return of >= tensors; }
  __device__ int heads() const { return v.heads; }
  __device__ int count(int of) const { return is_of_tokens(of) ? v.tokens : v.blocks; }
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
};

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  const compared_rows rows{view(p, false), p.layout(), p.mode == mode::pre, p.writes_tokens};
  // What is not compared says so: no rows.
  launch(to, clear_found<compared>, dim3(1), dim3(32), 0, p.found);
  if (p.writes_tokens)
    compare_all_rows<compared>(to, rows, p.found, p.samples, p.sample_count, p.sampled_out);
  else
    compare_all_rows<tensors>(to, rows, p.found, p.samples, p.sample_count, p.sampled_out);
}

/// Elements of q, k or v (blockIdx.y), in the layout of the inputs.
__global__ __launch_bounds__(threads_of_block) void make_elements(checked_problem p) {
  const int which = static_cast<int>(blockIdx.y);
  auto* const to = const_cast<std::uint16_t*>(p.in[which]);
  for (long long i = blockIdx.x * static_cast<long long>(threads_of_block) + threadIdx.x; i < p.elements();
       i += gridDim.x * static_cast<long long>(threads_of_block)) {
    const int element = static_cast<int>(i % width);
    // Neighboring threads write neighboring elements in either layout.
    const long long row = i / width, head = p.is_packed ? row % p.heads : row / p.tokens,
                    token = p.is_packed ? row / p.heads : row % p.tokens;
    to[head * p.head_stride() + token * p.token_stride() + element] =
        generated_bits(p, static_cast<tensor>(which), head, token, element);
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  launch(to, make_elements, dim3(16 * static_cast<unsigned>(to.device().multiprocessors), tensors),
         dim3(threads_of_block), 0, p);
}

}  // namespace ablate::block_pooling
