// The yardstick on the device: gradients in fp32, a warp a token's row, the mean of its block computed for
// each; and the inputs, which are made on the device. Nothing here is measured. Its own arithmetic is held
// against the fp64 oracle at the sampled rows.
#include "kernels/block_pooling_backward/view.cuh"
#include "oracles/block_pooling/compare_rows.cuh"
#include "oracles/block_pooling/launches.h"
#include "oracles/block_pooling_backward/launches.h"

namespace ablate::block_pooling_backward {

using block_pooling::elements_of;
using block_pooling::image_place;
using block_pooling::plain_row;

/// The gradient of a row that was normalized and rotated, taken back to the row.
__device__ plain_row plain_taken_back(const view& v, int which, float2 row, float2 gradient,
                                      const image_place& place) {
  const block_pooling::plain_centered centered(row);
  const float2 y{centered.x.x / centered.deviation, centered.x.y / centered.deviation};
  const float* const weights = v.rows.norm_of(which) + block_pooling::plain_element();
  float2 g = block_pooling::plain_rotated(v.rows.rotations, gradient, place, true);
  g.x *= weights[0];
  g.y *= weights[1];
  const float mean = block_pooling::sum_of_warp(g.x + g.y) / width;
  const float along = block_pooling::sum_of_warp(g.x * y.x + g.y * y.y) / width;
  const float floor =
      block_pooling::accepted_of_normalized * block_pooling::plain_greatest(g) / centered.deviation;
  return {{(g.x - mean - y.x * along) / centered.deviation, (g.y - mean - y.y * along) / centered.deviation},
          isfinite(floor) ? floor : 0};
}

/// What the check compares: dx of q, k and v, of all tokens.
struct compared_gradients {
  view v;
  block_layout layout;
  given of_what;
  bool is_pre;

  __device__ int heads() const { return v.rows.heads; }
  __device__ int count(int) const { return v.rows.tokens; }
  __device__ const unsigned char* seen(int of, const row_place& at) const { return v.gradient_row(of, at); }
  __device__ static bool is_copy(int) { return false; }

  __device__ float2 mean_of_block(int of, int head, const token_span& span) const {
    float2 mean{};
    for (int i = 0; i < span.count; ++i) {
      const float2 x = elements_of(v.rows.input_row(of, head, static_cast<int>(span.first) + i));
      mean.x += x.x / static_cast<float>(span.count);
      mean.y += x.y / static_cast<float>(span.count);
    }
    return mean;
  }
  __device__ plain_row from_block(int of, const row_place& at) const {
    if (at.row >= layout.patches()) return {};
    const int block = static_cast<int>(layout.block_of(at.row));
    const token_span span = layout.span(block);
    const float2 pooled = elements_of(v.pooled_row(of, {at.head, block}));
    plain_row row{{pooled.x, pooled.y}, 0};
    if (of < 2 && is_pre)
      row = plain_taken_back(v, of, mean_of_block(of, at.head, span), pooled,
                             block_pooling::plain_place(block * v.rows.block, v.rows.block));
    const auto count = static_cast<float>(span.count);
    return {{row.x[0] / count, row.x[1] / count}, row.floor / count};
  }
  __device__ plain_row expected(int of, const row_place& at) const {
    plain_row row = from_block(of, at);
    if (of_what == given::pooled) return row;
    const float2 given_row = elements_of(v.token_row(of, at));
    plain_row of_token{{given_row.x, given_row.y}, 0};
    if (of_what == given::tokens && of < 2) {
      const float2 sum = is_pre ? given_row : make_float2(given_row.x + row.x[0], given_row.y + row.x[1]);
      of_token = plain_taken_back(v, of, elements_of(v.rows.input_row(of, at.head, at.row)), sum,
                                  block_pooling::plain_place(at.row, 1));
      if (!is_pre) return of_token;
    }
    return {{row.x[0] + of_token.x[0], row.x[1] + of_token.x[1]}, row.floor + of_token.floor};
  }
};

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  const compared_gradients rows{view(p, false), p.pooling.layout(), p.given,
                                p.pooling.mode == block_pooling::mode::pre};
  launch(to, block_pooling::clear_found<tensors>, dim3(1), dim3(32), 0, p.found);
  block_pooling::compare_all_rows<tensors>(to, rows, p.found, p.samples, p.sample_count, p.sampled_out);
}

/// What is given, of q, k or v (blockIdx.y): of pooled rows or, `of_tokens`, of those of tokens.
__global__ __launch_bounds__(threads_of_block) void make_given(checked_problem p, bool of_tokens) {
  const int which = static_cast<int>(blockIdx.y);
  auto* const to = const_cast<std::uint16_t*>(of_tokens ? p.token_gradient[which] : p.pooled_gradient[which]);
  const long long rows = of_tokens ? p.pooling.tokens : p.pooling.blocks();
  for (long long i = blockIdx.x * static_cast<long long>(threads_of_block) + threadIdx.x;
       i < p.pooling.heads * rows * width; i += gridDim.x * static_cast<long long>(threads_of_block)) {
    const long long row = i / width;
    to[i] = generated_gradient(p, of_tokens, which, row / rows, row % rows, static_cast<int>(i % width));
  }
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  if (p.normalizes()) block_pooling::make_inputs(to, p.checked_pooling(), {});
  const dim3 grid(16 * static_cast<unsigned>(to.device().multiprocessors), tensors);
  launch(to, make_given, grid, dim3(threads_of_block), 0, p, false);
  if (p.given != given::pooled) launch(to, make_given, grid, dim3(threads_of_block), 0, p, true);
}

}  // namespace ablate::block_pooling_backward
