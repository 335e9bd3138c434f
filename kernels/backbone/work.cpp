#include "kernels/backbone/work.h"

#include <algorithm>
#include <cmath>

namespace ablate::backbone {
namespace {

struct step_work {
  double bytes = 0, flops = 0, exponentials = 0;
};

double rows_of(const network& n, int l) {
  return static_cast<double>(n.levels[static_cast<std::size_t>(l)].rows);
}

step_work linear_work(const network& n, const step& s) {
  const layer& of = n.layer_at(s.layer);
  const double rows = rows_of(n, s.level), k = of.inputs, outputs = of.outputs;
  const double stored = s.behind == linear::epilogue::swiglu ? outputs / 2 : outputs;
  const double residual = s.skip < 0 ? 0 : outputs;
  return {2 * rows * (k + stored + residual) + 2 * k * outputs, 2 * rows * k * outputs};
}

/// Activations and weights once each; index steps by what they must read and write of each row.
step_work work_of(const network& n, const step& s) {
  const double rows = rows_of(n, s.level), c = s.channels;
  switch (s.kind) {
    case step_kind::order:
      return {22 * rows};
    case step_kind::cluster:
      return {14 * rows + 10 * rows_of(n, s.level + 1)};
    case step_kind::embed:
      return {(6 + 2 * c) * rows, 6 * rows * c};
    case step_kind::linear:
      return linear_work(n, s);
    case step_kind::attention: {
      const double pairs = rows * n.shape.window;
      return {8 * rows * c, 4 * pairs * c, pairs * s.heads};
    }
    case step_kind::mlp:
      return {4 * rows * c + 24 * c * c, 24 * rows * c * c};
    case step_kind::reduce:
      return {(2 * c + 4) * rows + 2 * c * rows_of(n, s.level + 1)};
    case step_kind::unpool:
      return {(4 * c + 4) * rows + 2 * c * rows_of(n, s.level + 1)};
    case step_kind::restore:
      return {(4 * c + 4) * static_cast<double>(n.points())};
  }
  return {};
}

/// Norm and QKV; attention; projection; MLP.
constexpr double least_launches_of_block = 4;

/// Multiplications and additions of PTv3's block beside attention and convolution: of each row, C² each.
constexpr double ptv3_products = 13;

}  // namespace

operations operations_of(const network& n) {
  operations sum;
  for (const step& s : n.steps)
    (s.kind == step_kind::attention ? sum.attention : sum.linear) += work_of(n, s).flops;
  return sum;
}

operations operations_of_ptv3(const ptv3_rows& of) {
  const model& m = model_of("ptv3");
  operations sum;
  for (const auto* stages : {&m.encoder, &m.decoder})
    for (std::size_t l = 0; l < stages->size(); ++l) {
      const double c = (*stages)[l].channels, depth = (*stages)[l].depth(), rows = of.rows[l];
      sum.attention += depth * 4 * std::ceil(rows / of.window) * of.window * of.window * c;
      sum.linear += depth * 2 * ptv3_products * rows * c * c;
      sum.convolution += depth * 2 * of.neighbors[l] * rows * c * c;
    }
  sum.convolution += 2 * of.stem_neighbors * of.rows[0] * 4 * m.encoder[0].channels;
  for (std::size_t l = 0; l + 1 < m.encoder.size(); ++l) {
    const double here = m.encoder[l].channels, next = m.encoder[l + 1].channels, to = m.decoder[l].channels;
    const double from = l + 1 < m.decoder.size() ? m.decoder[l + 1].channels : next;
    sum.linear += 2 * of.rows[l] * here * next + 2 * to * (from * of.rows[l + 1] + here * of.rows[l]);
  }
  return sum;
}

double floor_us(const network& n, const chip_rates& rates) {
  double seconds = 0;
  for (const step& s : n.steps) {
    const step_work w = work_of(n, s);
    seconds += std::max({w.bytes / rates.bytes, w.flops / rates.flops, w.exponentials / rates.exponentials});
  }
  return 1e6 * seconds + rates.launch_us * least_launches_of_block * n.of.blocks();
}

}  // namespace ablate::backbone
