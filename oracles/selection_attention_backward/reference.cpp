#include "oracles/selection_attention_backward/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/memory_cutter.h"
#include "oracles/common/head_row.h"
#include "oracles/common/rounding.h"

namespace ablate::selection_attention_backward {

using window_attention::tensor;

namespace {

double product(const row& a, const row& b) {
  double sum = 0;
  for (std::size_t d = 0; d < width; ++d) sum += a[d] * b[d];
  return sum;
}

void add(row& to, double factor, const row& from) {
  for (std::size_t d = 0; d < width; ++d) to[d] += factor * from[d];
}

double norm(const row& of) { return std::sqrt(product(of, of)); }

/// A gradient's row so far, and the squares of what its terms may be off by.
struct graded_sum {
  row sum{};
  double squared_noise = 0, squared_lost = 0;

  /// `lost`: what `factor` may be off by, beside its own rounding.
  void add_term(double factor, double lost, const row& from) {
    add(sum, factor, from);
    const double squared = product(from, from);
    squared_noise += factor * factor * squared;
    squared_lost += lost * lost * squared;
  }
  /// Everything times `factor`.
  graded_row graded(double factor, const row& moved = {}) const {
    graded_row result;
    add(result.of, factor, sum);
    add(result.moved, factor, moved);
    result.scale = std::max(norm(result.of), factor * std::sqrt(squared_noise)) + norm(result.moved) +
                   factor * std::sqrt(squared_lost) / accepted_row_error;
    return result;
  }
};

/// Keys and values that a query block attends to.
struct attended {
  std::vector<row> keys, values;
  std::vector<std::int64_t> blocks;  ///< of block-size keys each

  attended(const head_values& head, std::int64_t query_block) {
    const std::size_t most = static_cast<std::size_t>(head.selected) * static_cast<std::size_t>(head.block);
    keys.reserve(most);
    values.reserve(most);
    for (int slot = 0; slot < head.selected; ++slot) {
      const std::int64_t block = head.entry(query_block, slot);
      if (!list_transpose::is_taken(block, 0, head.blocks())) continue;
      blocks.push_back(block);
      for (std::int64_t token = block * head.block; token < (block + 1) * head.block; ++token) {
        keys.push_back(head.values(tensor::k, token));
        values.push_back(head.values(tensor::v, token));
      }
    }
  }
};

/// P and dS of one query's keys, and Δ; P and dS times the gate where there is one.
struct query_terms {
  std::vector<double> p, ds;
  double delta = 0;
  double lost_in_delta = 0;          ///< e of graded_row
  std::vector<double> lost_in_fp32;  ///< of each dS: in the sums dP and Δ

  query_terms(const head_values& head, const attended& to, std::int64_t token, const row& query,
              const row& out_gradient) {
    const double scale = 1 / std::sqrt(width);
    for (const row& key : to.keys) p.push_back(scale * product(query, key));
    if (p.empty()) return;
    const double most = *std::ranges::max_element(p);
    double sum = 0;
    for (double& x : p) sum += x = std::exp(x - most);
    for (double& x : p) x /= sum;
    for (const row& value : to.values) ds.push_back(product(out_gradient, value));
    // Δ: the row sum of dO∘O is that of P∘dP.
    for (std::size_t j = 0; j < p.size(); ++j) delta += p[j] * ds[j];
    grade(to, out_gradient);
    const double gate = head.gate ? head.gate(token, 1) : 1;
    for (std::size_t j = 0; j < p.size(); ++j) {
      p[j] *= gate;
      ds[j] = p[j] * (ds[j] - delta);
      lost_in_fp32[j] *= gate;
    }
  }

 private:
  /// Of P and dP as they are before gates.
  void grade(const attended& to, const row& out_gradient) {
    row out{};
    sum_of_roundings of_weights, of_outputs;
    for (std::size_t j = 0; j < p.size(); ++j) {
      add(out, p[j], to.values[j]);
      of_weights.add(p[j] * ds[j]);
    }
    for (std::size_t d = 0; d < width; ++d) of_outputs.add(out_gradient[d] * out[d]);
    constexpr double bf16_rounding = 0x1p-8;
    lost_in_delta = bf16_rounding * (of_outputs.most() + of_weights.most());
    for (std::size_t j = 0; j < p.size(); ++j)
      lost_in_fp32.push_back(p[j] * accepted_rounding(width) * norm(out_gradient) *
                             (norm(to.values[j]) + norm(out)));
  }
};

}  // namespace

plain_gradients cut_reference(const checked_problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.reference)};
  plain_gradients plain{};
  cutter.cut(plain.is_there, 1);
  for (float*& gradient : plain.of) cutter.cut(gradient, p.compared_rows() * width);
  for (float*& scale : plain.scale) cutter.cut(scale, p.compared_rows());
  for (std::uint16_t*& seen : plain.seen) cutter.cut(seen, p.compared_rows() * width);
  if (p.attention.is_gated) {
    const std::int64_t blocks = p.attention.heads * p.attention.blocks();
    cutter.cut(plain.gates, 2 * p.rows());
    cutter.cut(plain.compressed, blocks * width);
    cutter.cut(plain.compressed_scale, blocks);
  }
  if (bytes) *bytes = cutter.used;
  return plain;
}

std::size_t reference_bytes(const checked_problem& p) { return bytes_cut(cut_reference, p); }

void sum_of_roundings::add(double term) {
  sum_ += std::abs(term);
  squares_ += term * term;
}
double sum_of_roundings::most() const { return std::min(sum_, 3 * std::sqrt(squares_)); }

double error_of(const graded_row& exact, const float* seen) {
  row off;
  for (std::size_t d = 0; d < width; ++d) off[d] = seen[d] - exact.of[d];
  const double squared_move = product(exact.moved, exact.moved);
  const double moved = squared_move > 0 ? product(off, exact.moved) / squared_move : 0;
  add(off, -std::clamp(moved, -1.0, 1.0), exact.moved);
  const double error = norm(off);
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  return error == 0 ? 0 : error / exact.scale;
}

head_values generated_head(const checked_problem& p, std::int64_t head) {
  const selection_attention::checked_problem attention = generated_attention_of(p);
  head_values made{
      .tokens = p.attention.tokens,
      .block = p.attention.block,
      .selected = p.attention.selected,
      .values =
          [p, attention, head](tensor of, std::int64_t token) {
            return head_row_of([&](int d) {
              return of == tensor::out_gradient
                         ? generated_out_gradient(p, head, token, d)
                         : selection_attention::generated_bits(attention, of, head, token, d);
            });
          },
      .entry = [lists = p.lists, head](std::int64_t query_block,
                                       int slot) { return lists.block(head, query_block, slot); }};
  if (!p.attention.is_gated) return made;
  made.gate = [attention, head](std::int64_t token, int which) {
    return selection_attention::generated_gate(attention, token, head, which);
  };
  made.compressed = [attention, head](std::int64_t block) {
    return head_row_of(
        [&](int d) { return selection_attention::generated_compressed(attention, head, block, d); });
  };
  return made;
}

graded_row exact_query_gradient(const head_values& head, std::int64_t token) {
  const attended to(head, token / head.block);
  const query_terms terms(head, to, token, head.values(tensor::q, token),
                          head.values(tensor::out_gradient, token));
  graded_sum gradient;
  row moved{};
  for (std::size_t j = 0; j < terms.ds.size(); ++j) {
    gradient.add_term(terms.ds[j], terms.lost_in_fp32[j], to.keys[j]);
    add(moved, terms.p[j] * terms.lost_in_delta, to.keys[j]);
  }
  return gradient.graded(1 / std::sqrt(width), moved);
}

std::array<double, 2> exact_gate_gradients(const head_values& head, std::int64_t token) {
  const attended to(head, token / head.block);
  const row gradient = head.values(tensor::out_gradient, token);
  return {product(gradient, head.compressed(token / head.block)),
          query_terms(head, to, token, head.values(tensor::q, token), gradient).delta};
}

row exact_compressed_gradient(const head_values& head, std::int64_t block) {
  row sum{};
  for (std::int64_t token = block * head.block; token < (block + 1) * head.block; ++token)
    add(sum, head.gate(token, 0), head.values(tensor::out_gradient, token));
  return sum;
}

key_gradients exact_key_gradients(const head_values& head, std::int64_t key_block,
                                  std::span<const std::int64_t> query_blocks) {
  const auto block = static_cast<std::size_t>(head.block);
  std::vector<graded_sum> k(block), v(block);
  for (const std::int64_t query_block : query_blocks) {
    const attended to(head, query_block);
    const auto found = std::ranges::find(to.blocks, key_block);
    if (found == to.blocks.end()) continue;
    const std::size_t first = static_cast<std::size_t>(found - to.blocks.begin()) * block;
    for (std::int64_t token = query_block * head.block; token < (query_block + 1) * head.block; ++token) {
      const row query = head.values(tensor::q, token), gradient = head.values(tensor::out_gradient, token);
      const query_terms terms(head, to, token, query, gradient);
      for (std::size_t i = 0; i < block; ++i) {
        const std::size_t j = first + i;
        k[i].add_term(terms.ds[j], std::hypot(terms.p[j] * terms.lost_in_delta, terms.lost_in_fp32[j]),
                      query);
        v[i].add_term(terms.p[j], 0, gradient);
      }
    }
  }
  key_gradients gradients;
  for (std::size_t i = 0; i < block; ++i) {
    gradients.k.push_back(k[i].graded(1 / std::sqrt(width)));
    gradients.v.push_back(v[i].graded(1));
  }
  return gradients;
}

std::vector<std::int64_t> query_blocks_of(const head_values& head, std::int64_t key_block) {
  std::vector<std::int64_t> found;
  for (std::int64_t query_block = 0; query_block < head.blocks(); ++query_block)
    for (int slot = 0; slot < head.selected; ++slot)
      if (head.entry(query_block, slot) == key_block) {
        found.push_back(query_block);
        break;
      }
  return found;
}

}  // namespace ablate::selection_attention_backward
