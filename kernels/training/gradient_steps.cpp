#include "kernels/training/gradient_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "kernels/common/dense/cublaslt.h"
#include "kernels/network/step_builder.h"
#include "kernels/ptv3/parts.h"
#include "kernels/training/gradient_parts.h"

namespace ablate::backbone {
namespace {

class gradient_builder : step_builder {
 public:
  explicit gradient_builder(network forward)
      : step_builder(std::move(forward)),
        gradient_(n_.tensors.size(), -1),
        writer_(n_.tensors.size(), -1),
        is_done_(n_.steps.size()) {
    for (std::size_t i = 0; i < n_.steps.size(); ++i)
      if (n_.steps[i].out >= 0) writer_[at(n_.steps[i].out)] = static_cast<int>(i);
  }

  network build(int out) {
    n_.gradients = gradient_places_of(n_.layers);
    gradient_[at(out)] = add("out.gradient", n_.tensors[at(out)].bytes, tensor::home::output_gradient);
    for (std::size_t i = is_done_.size(); i-- > 0;)
      if (!is_done_[i]) differentiate(step(n_.steps[i]));
    for (std::size_t i = 0; i < gradient_.size(); ++i)
      if (n_.tensors[i].at == tensor::home::input && gradient_[i] >= 0)
        n_.tensors[at(gradient_[i])].at = tensor::home::input_gradient;
    if (is_beside(n_.form)) keep_for_work_beside();
    return std::move(n_);
  }

 private:
  void differentiate(const step& s) {
    switch (s.kind) {
      case step_kind::linear:
        if (s.skip >= 0) gradient_[at(s.skip)] = gradient_[at(s.out)];
        return is_behind_activation(s) ? add_mlp_gradient(s) : add_linear_gradient(s);
      case step_kind::add:
        gradient_[at(s.in)] = gradient_[at(s.skip)] = gradient_[at(s.out)];
        return;
      case step_kind::restore:
        return add_rows_gradient(step_kind::restore_gradient, s, s.level);
      case step_kind::unpool:
        gradient_[at(s.skip)] = gradient_[at(s.out)];
        return add_rows_gradient(step_kind::unpool_gradient, s, s.level + 1);
      case step_kind::pool:
        return add_rows_gradient(step_kind::pool_gradient, s, s.level);
      case step_kind::batch_norm:
        return add_batch_gradient(s);
      case step_kind::embed:
        return add_embed_gradient(s);
      case step_kind::attention:
        return add_attention_gradient(s);
      case step_kind::add_dropped:
        return add_drop_gradient(s);
      case step_kind::add_normed:
        gradient_[at(s.skip)] = gradient_[at(s.out)];
        return add_norm_gradient(s, gradient_[at(s.out)]);
      case step_kind::into_windows:
      case step_kind::from_windows:
        return add_moved_gradient(s);
      case step_kind::convolve:
        return add_convolution_gradient(s);
      case step_kind::take:
        return;  // the features' own gradient is nobody's
      default:
        if (!is_index(s.kind)) throw std::logic_error(s.name + " has no gradient");
    }
  }

  const step& writer_of(int tensor) const { return n_.steps[at(writer_[at(tensor)])]; }
  bool is_behind_activation(const step& s) const {
    return writer_[at(s.in)] >= 0 && writer_of(s.in).kind == step_kind::activate;
  }

  step gradient_step(step_kind kind, const step& of, int channels) {
    step g{.kind = kind, .name = of.name + ".gradient", .level = of.level, .channels = channels};
    g.in = gradient_[at(of.out)];
    return g;
  }

  /// The gradient of a step's rows, which may have one from elsewhere: then their sum.
  void arrive(const step& s, int gradient, int channels) {
    int& there = gradient_[at(s.in)];
    if (there < 0) {
      there = gradient;
      return;
    }
    step sum{.kind = step_kind::add,
             .name = n_.tensors[at(s.in)].name + ".gradient.added",
             .level = s.level,
             .channels = channels,
             .in = gradient,
             .skip = there};
    sum.out = add(sum.name, row_bytes(s.level, channels));
    push(sum);
    there = sum.out;
  }

  /// Of a step without parameters, to rows of a level.
  void add_rows_gradient(step_kind kind, const step& s, int level_of_rows) {
    step g = gradient_step(kind, s, s.channels);
    // Of a maximum, whose winners are found among the rows again.
    if (kind == step_kind::pool_gradient && n_.pools_by_grid()) g.kept = s.in;
    g.out = add(g.name, row_bytes(level_of_rows, s.channels));
    push(g);
    arrive(s, g.out, s.channels);
  }

  /// Of the branch; the rows beside it have what arrives.
  void add_drop_gradient(const step& s) {
    gradient_[at(s.skip)] = gradient_[at(s.out)];
    step g = gradient_step(step_kind::drop_gradient, s, s.channels);
    g.drop = s.drop;
    g.drop_seed = s.drop_seed;
    g.out = add(g.name, row_bytes(s.level, s.channels));
    push(g);
    gradient_[at(s.in)] = g.out;
  }

  /// Of Q, K and V, which windows take one after another, side by side.
  void add_moved_gradient(const step& s) {
    const bool is_back = s.kind == step_kind::from_windows;
    step g = gradient_step(is_back ? step_kind::from_windows_gradient : step_kind::into_windows_gradient, s,
                           is_back ? s.channels : s.channels / 3);
    g.curve = s.curve;
    g.out = add(g.name, is_back ? slot_bytes(s.level, s.channels) : row_bytes(s.level, s.channels));
    push(g);
    gradient_[at(s.in)] = g.out;
  }

  void add_convolution_gradient(const step& s) {
    step g = gradient_step(step_kind::convolution_gradient, s, s.channels);
    g.layer = s.layer;
    g.is_stem = s.is_stem;
    g.kept = s.in;
    if (!s.is_stem) g.out = add(g.name, row_bytes(s.level, s.channels));
    g.scratch = add(g.name + ".scratch", convolution_gradient_bytes(n_, g));
    push(g);
    if (!s.is_stem) arrive(s, g.out, s.channels);
  }

  std::int64_t slot_bytes(int l, std::int64_t channels) const {
    return 2 * n_.levels[at(l)].slots * channels;
  }

  void add_batch_gradient(const step& s) {
    step g = gradient_step(step_kind::batch_gradient, s, s.channels);
    g.layer = s.layer;
    g.kept = s.in;
    g.written = s.written;
    g.out = add(g.name, row_bytes(s.level, s.channels));
    g.scratch = add(g.name + ".scratch", batch_norm_scratch_bytes(n_, g));
    push(g);
    arrive(s, g.out, s.channels);
  }

  void add_embed_gradient(const step& s) {
    step g = gradient_step(step_kind::embed_gradient, s, s.channels);
    g.layer = s.layer;
    g.scratch = add(g.name + ".scratch", embed_gradient_scratch_bytes(n_, g));
    push(g);
  }

  void add_linear_gradient(const step& s) {
    const layer& of = n_.layer_at(s.layer);
    step g = gradient_step(step_kind::linear_gradient, s, of.inputs);
    g.layer = s.layer;
    g.how.by = weight_gradient_by(n_.form, of.inputs);
    g.kept = s.norm < 0 ? s.in : add_normalized(s);
    g.out = add(g.name, row_bytes(s.level, of.inputs));
    g.scratch = add(g.name + ".scratch", linear_gradient_scratch_bytes(n_, g));
    push(g);
    if (s.norm < 0)
      arrive(s, g.out, of.inputs);
    else
      add_norm_gradient(s, g.out);
  }

  int add_normalized(const step& s) {
    const layer& norm = n_.layer_at(s.norm);
    step again{.kind = step_kind::normalize,
               .name = norm.name + ".again",
               .level = s.level,
               .channels = norm.outputs,
               .norm = s.norm,
               .in = s.in};
    again.out = add(again.name, row_bytes(s.level, norm.outputs));
    push(again);
    return again.out;
  }

  /// Of the rows before a norm, which may have a gradient from elsewhere: a residual's.
  void add_norm_gradient(const step& s, int of_normed) {
    const layer& norm = n_.layer_at(s.norm);
    step g{.kind = step_kind::norm_gradient,
           .name = norm.name + ".gradient",
           .level = s.level,
           .channels = norm.outputs,
           .norm = s.norm,
           .in = of_normed};
    g.kept = s.in;
    g.beside = gradient_[at(s.in)];
    g.out = add(g.name, row_bytes(s.level, norm.outputs));
    g.scratch = add(g.name + ".scratch", norm_gradient_scratch_bytes(n_, g));
    push(g);
    gradient_[at(s.in)] = g.out;
  }

  /// A layer after an activation is an MLP's second one: its gradients, the activation's, those of the layer
  /// before it and of the norm are one operation, with the residual.
  void add_mlp_gradient(const step& second) {
    const step activation = writer_of(second.in), first = writer_of(activation.in);
    const int beside = gradient_[at(first.in)];
    if (first.norm < 0 || beside < 0)
      throw std::logic_error(second.name + ": an MLP has a norm and a residual");
    is_done_[at(writer_[at(second.in)])] = is_done_[at(writer_[at(activation.in)])] = true;
    step g = gradient_step(step_kind::mlp_gradient, second, n_.layer_at(second.layer).outputs);
    g.name = second.name.substr(0, second.name.rfind('.')) + ".mlp.gradient";
    g.layer = first.layer;
    g.second = second.layer;
    g.norm = first.norm;
    g.kept = first.in;
    g.written = first.out;
    if (beside != g.in) g.beside = beside;
    g.out = add(g.name, row_bytes(second.level, g.channels));
    g.scratch = add(g.name + ".scratch", mlp_gradient_scratch_bytes(n_, g));
    push(g);
    gradient_[at(first.in)] = g.out;
  }

  void add_attention_gradient(const step& s) {
    step g = gradient_step(step_kind::attention_gradient, s, s.channels);
    g.heads = s.heads;
    g.windows_at = s.windows_at;
    g.kept = s.in;
    g.written = s.out;
    g.lse = s.lse;
    g.out = add(g.name, slot_bytes(s.level, 3 * std::int64_t{s.channels}));
    g.scratch = add(g.name + ".scratch", attention_gradient_scratch_bytes(n_, g));
    push(g);
    if (!n_.of.in_buckets) {
      gradient_[at(s.in)] = g.out;
      return;
    }
    step packed{.kind = step_kind::pack,
                .name = g.name + ".packed",
                .level = s.level,
                .channels = s.channels,
                .in = g.out};
    packed.out = add(packed.name, row_bytes(s.level, 3 * std::int64_t{s.channels}));
    push(packed);
    gradient_[at(s.in)] = packed.out;
  }

  /// What a step's gradients of parameters read, and where they are summed up.
  static std::array<int, 3> needed_beside(const step& s) {
    if (s.kind == step_kind::norm_gradient) return {s.scratch, -1, -1};
    return {s.scratch, s.in, s.kept};
  }

  /// That is live until the pass waits for these gradients.
  void keep_for_work_beside() {
    const int last = static_cast<int>(n_.steps.size()) - 1;
    n_.workspace_beside = add("workspace.beside", cublaslt::workspace_bytes);
    tensor& workspace = n_.tensors[at(n_.workspace_beside)];
    workspace.first = workspace.last = last;
    for (int i = last, awaited = last; i >= 0; --i) {
      const step& s = n_.steps[at(i)];
      if (n_.waits_for_work_beside(s)) awaited = i;
      if (!has_work_beside(s.kind)) continue;
      workspace.first = i;
      for (const int needed : needed_beside(s)) {
        if (needed < 0) continue;
        tensor& t = n_.tensors[at(needed)];
        t.last = std::max(t.last, awaited);
      }
    }
  }

  std::vector<int> gradient_;  ///< of a forward tensor: the tensor that holds its gradient
  std::vector<int> writer_;    ///< of a forward tensor: the step
  std::vector<bool> is_done_;  ///< of a forward step
};

}  // namespace

network with_gradients(network forward, int out) { return gradient_builder(std::move(forward)).build(out); }

}  // namespace ablate::backbone
