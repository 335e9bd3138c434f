// The backward pass from other operations' kernels, like the forward pass (kernels/backbone/steps.cu): a
// layer's gradients are two products and a sum over rows, dX = dY · W, dW = dYᵀ · X, db = Σ dY; those of an
// MLP, a norm and attention are their operations'. The output of a layer's norm is recomputed before the
// product that needs it. Attention's kernels write consecutive tensors, dQ,
// dK and dV; the preceding layer reads them interleaved, so `pack` moves them, 16 bytes a thread. With
// weights=beside, gradients of weights and biases, and the sums of a norm's, run on a second stream, which
// waits only for their inputs; the first stream waits for them after attention's gradients and at the end,
// with beside_to_end only at the end. Most of them leave multiprocessors idle: sums over rows, and products
// with few columns, have few blocks. Their inputs stay live until then (gradient_steps.cpp), and cuBLASLt has
// an extra workspace for them.
// Should move, from `core` mma to a library's products: time where C > 64; from `dq` reductions to two_pass:
// exponentials and products of attention, 5 to 7, for reproducible bits; from weights in turn to beside:
// time, most where levels have few rows, and no bit of a gradient.
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/linear/parts.h"
#include "kernels/mlp/parts.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/run.h"
#include "kernels/row_norm/parts.h"
#include "kernels/training/gradient_parts.h"
#include "kernels/training/gradient_run.h"
#include "kernels/window_attention_backward/cores.h"

namespace ablate::backbone {

constexpr int packing_threads = 256;

/// [3][rows][C] to [rows][3][C]: a thread a chunk of what is written.
__global__ __launch_bounds__(packing_threads) void pack_thirds(const std::uint16_t* from, std::uint16_t* to,
                                                               long long rows, int chunks_of_third) {
  const long long at = blockIdx.x * static_cast<long long>(packing_threads) + threadIdx.x;
  if (at >= 3 * rows * chunks_of_third) return;
  const long long row = at / (3 * chunks_of_third);
  const int third = static_cast<int>(at / chunks_of_third % 3),
            chunk = static_cast<int>(at % chunks_of_third);
  store_chunk(to, at, load_chunk(from, (third * rows + row) * chunks_of_third + chunk));
}

namespace {

void run_pack(launcher& to, const problem& p, const network& n, const step& s) {
  const std::int64_t rows = n.level_at(s.level).rows;
  const int chunks_of_third = s.channels / chunk;
  launch(to, pack_thirds, dim3(blocks_for(3 * rows * chunks_of_third, packing_threads)),
         dim3(packing_threads), 0, rows_at(p, n, s.in), rows_at(p, n, s.out), static_cast<long long>(rows),
         chunks_of_third);
}

/// A library sums the bias's gradient in launches of its own: beside the product it is slower
/// (results/h200/linear_layers, 64 channels: 28.9 against 20.8).
void differentiate_weight(launcher& to, const linear::problem& layer, const step& s) {
  s.how.by == multiplier::own ? linear::mma_weight_gradient(to, layer)
                              : linear::library_weight_gradient(to, layer, false);
}

void differentiate_rows(launcher& to, const linear::problem& layer, const network& n) {
  if (!layer.has(linear::output::input_gradient)) return;
  gradient_by(n.form) == multiplier::own ? linear::mma_input_gradient(to, layer)
                                         : linear::library_input_gradient(to, layer);
}

void run_linear_gradient(launcher& to, const linear::problem& layer, const network& n, const step& s) {
  differentiate_weight(to, layer, s);
  differentiate_rows(to, layer, n);
}

void run_mlp_gradient(launcher& to, const mlp::problem& both, const network& n) {
  gradient_by(n.form) == multiplier::own ? mlp::mma_backward(to, both)
                                         : mlp::library_backward(to, both, false);
}

bool attends_on_mma(const switches& by) { return by.word("attention").starts_with("mma_"); }

void run_attention_gradient(launcher& to, const window_attention_backward::problem& attention,
                            const switches& by) {
  if (attends_on_mma(by)) return window_attention_backward::differentiate_in_two_passes_by_mma(to, attention);
  window_attention_backward::differentiate_on_hopper(to, attention, by.word("dq"));
}

}  // namespace

bool adds_gradients_by_atomics(const network& n, const switches& by) {
  const text_view dq = by.word("dq");
  return n.trains() && !attends_on_mma(by) && dq != "two_pass" && dq != "window_per_cta";
}

void run_gradient_step(launcher& to, const problem& p, const network& n, const step& s, const switches& by) {
  switch (s.kind) {
    case step_kind::normalize:
      return row_norm::normalize(to, normalization_of(p, n, s));
    case step_kind::norm_gradient:
      return row_norm::normalize(to, norm_gradient_of(p, n, s));
    case step_kind::linear_gradient:
      return run_linear_gradient(to, linear_gradient_of(p, n, s), n, s);
    case step_kind::mlp_gradient:
      return run_mlp_gradient(to, mlp_gradient_of(p, n, s), n);
    case step_kind::attention_gradient:
      return run_attention_gradient(to, attention_gradient_of(p, n, s), by);
    case step_kind::pack:
      return run_pack(to, p, n, s);
    case step_kind::drop_gradient:
      return run_drop_path(to, p, n, s);
    case step_kind::from_windows_gradient:
    case step_kind::into_windows_gradient:
    case step_kind::convolution_gradient:
      return run_ptv3_gradient(to, p, n, s);
    default:
      return run_rows_gradient(to, p, n, s);
  }
}

void run_gradient_step_beside(launcher& to, launcher& second, const problem& p, const network& n,
                              const step& s, const switches& by) {
  switch (s.kind) {
    case step_kind::norm_gradient:
      return row_norm::layer_backward(to, second, norm_gradient_of(p, n, s));
    case step_kind::linear_gradient: {
      linear::problem layer = linear_gradient_of(p, n, s);
      second.wait_for(to);
      differentiate_rows(to, layer, n);
      layer.workspace = rows_at(p, n, n.workspace_beside);
      return differentiate_weight(second, layer, s);
    }
    case step_kind::mlp_gradient:
      return mlp::library_backward_beside(to, second, mlp_gradient_of(p, n, s),
                                          mlp_memory_beside_of(p, n, s));
    default:
      return run_gradient_step(to, p, n, s, by);
  }
}

}  // namespace ablate::backbone
