#include "kernels/training/gradient_parts.h"

#include <algorithm>

#include "kernels/common/memory_cutter.h"
#include "kernels/network/parts.h"

namespace ablate::backbone {
namespace {

row_norm::problem norm_sizes(const network& n, const step& s) {
  row_norm::problem norm;
  norm.rows = norm.valid = n.level_at(s.level).rows;
  norm.channels = s.channels;
  norm.is_backward = s.kind == step_kind::norm_gradient;
  if (s.beside >= 0) norm.kind = row_norm::kind::residual_layer;
  return norm;
}

linear::problem linear_sizes(const network& n, const step& s) {
  linear::problem layer;
  layer.rows = n.level_at(s.level).rows;
  layer.inputs = n.layer_at(s.layer).inputs;
  layer.outputs = n.layer_at(s.layer).outputs;
  layer.does[static_cast<int>(linear::output::y)] = false;
  layer.does[static_cast<int>(linear::output::input_gradient)] = s.out >= 0;
  layer.does[static_cast<int>(linear::output::weight_gradient)] = true;
  return layer;
}

mlp::problem mlp_sizes(const network& n, const step& s) {
  mlp::problem both;
  both.kind = n.of.gates_mlps() ? mlp::kind::swiglu : mlp::kind::gelu;
  both.rows = n.level_at(s.level).rows;
  both.channels = s.channels;
  both.is_backward = true;
  return both;
}

constexpr std::int64_t parts_of_column_sums = 32;

/// What is between the launches. Own kernels keep dH in registers.
std::int64_t cut_mlp_scratch(mlp::problem& both, mlp::memory_beside& beside, layer_form form,
                             std::byte* memory) {
  memory_cutter cutter{memory};
  cutter.cut(both.normed, both.rows * both.channels);
  cutter.cut(both.product, both.rows * both.first_columns());
  cutter.cut(both.hidden, both.rows * both.hidden_columns());
  if (gradient_by(form) == multiplier::library)
    cutter.cut(both.hidden_gradient, both.rows * both.hidden_columns());
  cutter.cut(both.normed_gradient, both.rows * both.channels);
  cutter.cut(both.partial, static_cast<std::int64_t>(mlp::partial_bytes(both) / sizeof(float)));
  if (is_beside(form)) cutter.cut(beside.partial, parts_of_column_sums * both.first_columns());
  return static_cast<std::int64_t>(cutter.used);
}

window_attention_backward::problem attention_gradient_sizes(const network& n, const step& s) {
  window_attention_backward::problem gradient;
  gradient.attention = attention_sizes(n, s);
  return gradient;
}

}  // namespace

row_norm::problem batch_gradient_of(const problem& p, const network& n, const step& s) {
  row_norm::problem norm = batch_norm_sizes(n, s);
  cut_batch_norm_scratch(norm, scratch_at(p, n, s));
  norm.mean = reinterpret_cast<const float*>(rows_at(p, n, s.written));
  norm.gamma = moved(p.vectors, n.place_at(s.layer).vectors + 2 * s.channels);
  norm.beta = moved(norm.gamma, s.channels);
  norm.in = rows_at(p, n, s.kept);
  norm.gradient = rows_at(p, n, s.in);
  norm.input_gradient = rows_at(p, n, s.out);
  norm.parameter_gradients = vector_gradient_at(p, n, s.layer);
  return norm;
}

row_norm::problem normalization_of(const problem& p, const network& n, const step& s) {
  row_norm::problem norm = norm_sizes(n, s);
  norm.gamma = moved(p.vectors, n.place_at(s.norm).vectors);
  norm.beta = moved(norm.gamma, s.channels);
  norm.in = rows_at(p, n, s.in);
  norm.out = rows_at(p, n, s.out);
  return norm;
}

row_norm::problem norm_gradient_of(const problem& p, const network& n, const step& s) {
  row_norm::problem norm = norm_sizes(n, s);
  norm.gamma = moved(p.vectors, n.place_at(s.norm).vectors);
  norm.beta = moved(norm.gamma, s.channels);
  norm.in = rows_at(p, n, s.kept);
  norm.gradient = rows_at(p, n, s.in);
  if (s.beside >= 0) norm.sum_gradient = rows_at(p, n, s.beside);
  norm.input_gradient = rows_at(p, n, s.out);
  norm.parameter_gradients = vector_gradient_at(p, n, s.norm);
  norm.partial = reinterpret_cast<float*>(scratch_at(p, n, s));
  return norm;
}

linear::problem linear_gradient_of(const problem& p, const network& n, const step& s) {
  linear::problem layer = linear_sizes(n, s);
  layer.x = rows_at(p, n, s.kept);
  layer.weight = moved(p.matrices, n.place_at(s.layer).matrix);
  layer.gradient = rows_at(p, n, s.in);
  if (s.out >= 0) layer.input_gradient = rows_at(p, n, s.out);
  layer.weight_gradient = matrix_gradient_at(p, n, s.layer);
  layer.bias_gradient = vector_gradient_at(p, n, s.layer);
  layer.partial = reinterpret_cast<float*>(scratch_at(p, n, s));
  layer.workspace = p.workspace;
  return layer;
}

mlp::problem mlp_gradient_of(const problem& p, const network& n, const step& s) {
  mlp::problem both = mlp_sizes(n, s);
  mlp::memory_beside beside;
  cut_mlp_scratch(both, beside, n.form, scratch_at(p, n, s));
  both.x = rows_at(p, n, s.kept);
  both.z = rows_at(p, n, s.written);
  both.gamma = moved(p.vectors, n.place_at(s.norm).vectors);
  both.beta = moved(both.gamma, s.channels);
  both.first = moved(p.matrices, n.place_at(s.layer).matrix);
  both.second = moved(p.matrices, n.place_at(s.second).matrix);
  both.gradient = rows_at(p, n, s.in);
  if (s.beside >= 0) both.residual_gradient = rows_at(p, n, s.beside);
  both.input_gradient = rows_at(p, n, s.out);
  both.first_gradient = matrix_gradient_at(p, n, s.layer);
  both.first_bias_gradient = vector_gradient_at(p, n, s.layer);
  both.second_gradient = matrix_gradient_at(p, n, s.second);
  both.second_bias_gradient = vector_gradient_at(p, n, s.second);
  both.norm_gradient = vector_gradient_at(p, n, s.norm);
  both.workspace = p.workspace;
  return both;
}

mlp::memory_beside mlp_memory_beside_of(const problem& p, const network& n, const step& s) {
  mlp::problem both = mlp_sizes(n, s);
  mlp::memory_beside beside;
  cut_mlp_scratch(both, beside, n.form, scratch_at(p, n, s));
  beside.workspace = rows_at(p, n, n.workspace_beside);
  return beside;
}

window_attention_backward::problem attention_gradient_of(const problem& p, const network& n, const step& s) {
  window_attention_backward::problem gradient = attention_gradient_sizes(n, s);
  window_attention::problem& attention = gradient.attention;
  place_queries(attention, rows_at(p, n, s.kept));
  attention.scope = moved(p.windows, s.windows_at);
  attention.out = rows_at(p, n, s.written);
  attention.lse = reinterpret_cast<float*>(rows_at(p, n, s.lse));
  gradient.out_gradient = rows_at(p, n, s.in);
  gradient.q_gradient = rows_at(p, n, s.out);
  gradient.k_gradient = moved(gradient.q_gradient, attention.elements());
  gradient.v_gradient = moved(gradient.q_gradient, 2 * attention.elements());
  gradient.scratch = scratch_at(p, n, s);
  return gradient;
}

std::int64_t norm_gradient_scratch_bytes(const network& n, const step& s) {
  return static_cast<std::int64_t>(row_norm::partial_bytes(norm_sizes(n, s)));
}

std::int64_t embed_gradient_scratch_bytes(const network&, const step& s) {
  return std::int64_t{sizeof(float)} * embed_gradient_parts * 4 * s.channels;
}

/// A library's needs that of the bias's sums alone.
std::int64_t linear_gradient_scratch_bytes(const network& n, const step& s) {
  const linear::problem layer = linear_sizes(n, s);
  if (s.how.by == multiplier::own) return static_cast<std::int64_t>(linear::partial_bytes(layer));
  return parts_of_column_sums * layer.outputs * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t mlp_gradient_scratch_bytes(const network& n, const step& s) {
  mlp::problem both = mlp_sizes(n, s);
  mlp::memory_beside beside;
  return cut_mlp_scratch(both, beside, n.form, nullptr);
}

/// Without what each block of keys adds to dQ, which no core here stores.
std::int64_t attention_gradient_scratch_bytes(const network& n, const step& s) {
  window_attention_backward::problem gradient = attention_gradient_sizes(n, s);
  gradient.attention.window =
      std::max(gradient.attention.window, window_attention_backward::longest_window_in_parts + 1);
  return static_cast<std::int64_t>(window_attention_backward::scratch_bytes(gradient));
}

}  // namespace ablate::backbone
