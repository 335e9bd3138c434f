#include "kernels/backbone/work.h"

#include <algorithm>

namespace ablate::backbone {
namespace {

struct step_work {
  double read = 0, written = 0, flops = 0, exponentials = 0;

  bool is_any() const { return read + written + flops + exponentials > 0; }
};

double rows_of(const network& n, int l) {
  return static_cast<double>(n.levels[static_cast<std::size_t>(l)].rows);
}

step_work linear_work(const network& n, const step& s) {
  const layer& of = n.layer_at(s.layer);
  const double rows = rows_of(n, s.level), k = of.inputs, outputs = of.outputs;
  const double stored = s.behind == linear::epilogue::swiglu ? outputs / 2 : outputs;
  const double residual = s.skip < 0 ? 0 : outputs;
  return {2 * rows * (k + residual) + 2 * k * outputs, 2 * rows * stored, 2 * rows * k * outputs};
}

/// Queries and keys, window by window; padding that is no key as if all windows had their share of it.
double attending_pairs(const network& n, const level& of) {
  const std::int64_t window = n.shape.window, left = of.slots % window;
  const auto pairs = static_cast<double>((of.slots - left) * window + left * left);
  return n.shape.masks_padding ? pairs * static_cast<double>(of.real) / static_cast<double>(of.slots) : pairs;
}

/// The gradient that arrives, kept rows and weights read once, gradients of rows and of parameters, fp32,
/// written once. A norm's is at the end of its layer's: what is beside is all it reads. What drop path
/// keeps, and what windows take, is at the start of a layer's and at attention's ends.
step_work gradient_work(const network& n, const step& s) {
  const double rows = rows_of(n, s.level), c = s.channels;
  switch (s.kind) {
    case step_kind::linear_gradient: {
      const double k = n.layer_at(s.layer).inputs, outputs = n.layer_at(s.layer).outputs,
                   written = s.out < 0 ? 0 : k, products = s.out < 0 ? 1 : 2;
      return {2 * rows * (k + outputs) + 2 * k * outputs, 2 * rows * written + 4 * k * outputs,
              products * 2 * rows * k * outputs};
    }
    case step_kind::norm_gradient:
      return {s.beside < 0 ? 0 : 2 * rows * c};
    case step_kind::mlp_gradient: {
      const double kept = n.layer_at(s.layer).outputs, weights = (kept + 4 * c) * c;
      return {2 * rows * (2 * c + kept) + 2 * weights, 2 * rows * c + 4 * weights, 4 * rows * weights};
    }
    case step_kind::pool:
      return {(2 * c + 4) * rows, 2 * c * rows_of(n, s.level + 1)};
    case step_kind::batch_gradient:
      return {8 * rows * c};  // sums over all rows are between two reads of the kept ones and the gradient
    case step_kind::pool_gradient:
      return {4 * rows + 2 * c * rows_of(n, s.level + 1), 2 * c * rows};
    case step_kind::unpool_gradient:
      return {(2 * c + 4) * rows, 2 * c * rows_of(n, s.level + 1)};
    case step_kind::restore_gradient:
      return {(2 * c + 4) * rows, 2 * c * rows};
    case step_kind::convolution_gradient: {
      const auto pairs = static_cast<double>(s.is_stem ? n.stem_pairs() : n.level_at(s.level).pairs());
      const layer& conv = n.layer_at(s.layer);
      const double outputs = conv.outputs, written = s.out < 0 ? 0 : c, products = s.out < 0 ? 1 : 2;
      return {2 * rows * (c + outputs) + 2 * conv.inputs * outputs + 8 * pairs,
              2 * rows * written + 4 * conv.inputs * outputs, products * 2 * pairs * c * outputs};
    }
    case step_kind::embed_gradient:
      return {(6 + 2 * c) * rows};
    case step_kind::attention_gradient: {
      const double pairs = attending_pairs(n, n.level_at(s.level));
      return {10 * rows * c, 6 * rows * c, 10 * pairs * c, pairs * s.heads};
    }
    default:
      return {};
  }
}

/// Activations and weights once each; index steps by what they must read and write of each row.
step_work work_of(const network& n, const step& s) {
  const level& of = n.level_at(s.level);
  const auto rows = static_cast<double>(of.rows), slots = static_cast<double>(of.slots);
  const double c = s.channels;
  switch (s.kind) {
    case step_kind::order:
      return {14 * rows, 8 * rows};
    case step_kind::cluster:
      // As pool counts them: what follows from another input, such as orders from codes, need not be read.
      if (n.pools_by_grid())
        return {20 * rows + 8.0 * (n.of.curves - 1) * rows_of(n, s.level + 1),
                8 * rows + (28 + 16.0 * n.of.curves) * rows_of(n, s.level + 1)};
      return {6 * rows, 8 * rows + 10 * rows_of(n, s.level + 1)};
    case step_kind::embed:
      return {6 * rows, 2 * rows * c, 6 * rows * c};
    case step_kind::linear:
      return linear_work(n, s);
    case step_kind::add:
    case step_kind::activate:
      return {};  // at the end of the layer in front
    case step_kind::attention: {
      const double pairs = attending_pairs(n, of);
      return {6 * rows * c, 2 * rows * c, 4 * pairs * c, pairs * s.heads};
    }
    case step_kind::mlp: {
      const double squares = n.of.gates_mlps() ? 12 : 8;
      return {2 * rows * c + 2 * squares * c * c, 2 * rows * c, 2 * squares * rows * c * c};
    }
    case step_kind::reduce:
      return {(2 * c + 4) * rows, 2 * c * rows_of(n, s.level + 1)};
    case step_kind::unpool:
      return {(2 * c + 4) * rows + 2 * c * rows_of(n, s.level + 1), 2 * c * rows};
    case step_kind::restore:
      return {(2 * c + 4) * static_cast<double>(n.points()), 2 * c * static_cast<double>(n.points())};
    case step_kind::arrange:
      return {(n.pools_by_grid() ? 28.0 : 16.0) * rows, (n.pools_by_grid() ? 24.0 : 12.0) * rows};
    case step_kind::take:
      return {(4 + 2 * c) * rows, 2 * c * rows};
    case step_kind::codes:
      return {12 * rows, 16.0 * n.of.curves * rows};
    case step_kind::slots:
      return {4.0 * n.of.curves * rows, 4.0 * n.of.curves * (rows + slots)};
    case step_kind::map: {
      const int kernel = s.is_stem ? stem_kernel : position_kernel;
      return {16 * rows, 4.0 * kernel * kernel * kernel * rows};
    }
    case step_kind::convolve: {
      const auto pairs = static_cast<double>(s.is_stem ? n.stem_pairs() : of.pairs());
      const layer& conv = n.layer_at(s.layer);
      const double outputs = conv.outputs;
      return {2 * rows * c + 2 * conv.inputs * outputs + 8 * pairs, 2 * rows * outputs,
              2 * pairs * c * outputs};
    }
    case step_kind::batch_norm:
      if (!n.trains()) return {};
      return {2 * rows * c, 2 * rows * c};  // statistics end the step in front; of inference the norm too
    case step_kind::into_windows:
    case step_kind::from_windows:
      return {};  // the stem could end with it, and attention follow the index itself
    case step_kind::clear:
    case step_kind::leave_windows:
      return {};  // at the end of the steps in front
    case step_kind::enter_windows:
    case step_kind::add_normed:
    case step_kind::add_dropped:
      return {2 * rows * c};  // at the end of its layer: the residual
    default:
      return gradient_work(n, s);
  }
}

/// Few kinds, since a record has the work of each case: what steps of a kind are bound by differs little.
const char* kind_of(step_kind kind) {
  if (is_index(kind)) return "index";
  switch (kind) {
    case step_kind::attention:
      return "attention";
    case step_kind::embed:
    case step_kind::linear:
      return "linear";
    case step_kind::mlp:
      return "mlp";
    case step_kind::convolve:
      return "convolution";
    case step_kind::attention_gradient:
      return "attention_gradient";
    case step_kind::linear_gradient:
    case step_kind::embed_gradient:
    case step_kind::mlp_gradient:
      return "linear_gradient";
    case step_kind::convolution_gradient:
      return "convolution_gradient";
    default:
      return is_gradient(kind) ? "rows_gradient" : "rows";
  }
}

}  // namespace

operations operations_of(const network& n) {
  operations sum;
  for (const step& s : n.steps) {
    const bool attends = s.kind == step_kind::attention || s.kind == step_kind::attention_gradient;
    const bool convolves = s.kind == step_kind::convolve || s.kind == step_kind::convolution_gradient;
    double& of_kind = attends ? sum.attention : convolves ? sum.convolution : sum.linear;
    of_kind += work_of(n, s).flops;
  }
  return sum;
}

std::vector<steps_of_kind> steps_by_kind(const network& n) {
  std::vector<steps_of_kind> out;
  for (const step& s : n.steps) {
    const step_work w = work_of(n, s);
    if (!w.is_any()) continue;
    const std::string kind = kind_of(s.kind);
    auto to = std::ranges::find(out, kind, &steps_of_kind::kind);
    if (to == out.end()) to = out.insert(to, steps_of_kind{kind});
    ++to->count;
    to->read_bytes += w.read;
    to->written_bytes += w.written;
    to->flops += w.flops;
    to->exponentials += w.exponentials;
  }
  return out;
}

}  // namespace ablate::backbone
