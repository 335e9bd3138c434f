#include <algorithm>
#include <cmath>

#include "kernels/selection_attention_backward/selection_attention_backward.h"

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

/// Keys and values that a query block attends to.
struct attended {
  std::vector<row> keys, values;
  std::vector<std::int64_t> blocks;  ///< of block-size keys each

  attended(const head_values& head, std::int64_t query_block) {
    for (int slot = 0; slot < head.selected; ++slot) {
      const std::int64_t block = head.entry(query_block, slot);
      if (!selection_inversion::is_taken(block, 0, head.blocks())) continue;
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
    const double gate = head.gate ? head.gate(token, 1) : 1;
    for (std::size_t j = 0; j < p.size(); ++j) {
      p[j] *= gate;
      ds[j] = p[j] * (ds[j] - delta);
    }
  }
};

}  // namespace

head_values made_head(const problem& p, std::int64_t head) {
  head_values made{
      .tokens = p.attention.tokens,
      .block = p.attention.block,
      .selected = p.attention.selected,
      .values =
          [p, head](tensor of, std::int64_t token) {
            row made;
            for (int d = 0; d < width; ++d)
              made[static_cast<std::size_t>(d)] = window_attention::float_of_bf16(
                  of == tensor::out_gradient
                      ? made_out_gradient(p, head, token, d)
                      : selection_attention::made_bits(p.attention, of, head, token, d));
            return made;
          },
      .entry = [lists = p.attention.lists, head](std::int64_t query_block,
                                                 int slot) { return lists.block(head, query_block, slot); }};
  if (!p.attention.is_gated) return made;
  made.gate = [p, head](std::int64_t token, int which) {
    return selection_attention::made_gate(p.attention, token, head, which);
  };
  made.compressed = [p, head](std::int64_t block) {
    row values;
    for (int d = 0; d < width; ++d)
      values[static_cast<std::size_t>(d)] =
          window_attention::float_of_bf16(selection_attention::made_compressed(p.attention, head, block, d));
    return values;
  };
  return made;
}

row exact_query_gradient(const head_values& head, std::int64_t token) {
  const attended to(head, token / head.block);
  const query_terms terms(head, to, token, head.values(tensor::q, token),
                          head.values(tensor::out_gradient, token));
  row gradient{};
  for (std::size_t j = 0; j < terms.ds.size(); ++j) add(gradient, terms.ds[j] / std::sqrt(width), to.keys[j]);
  return gradient;
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
  key_gradients gradients{std::vector<row>(block), std::vector<row>(block)};
  for (const std::int64_t query_block : query_blocks) {
    const attended to(head, query_block);
    const auto found = std::ranges::find(to.blocks, key_block);
    if (found == to.blocks.end()) continue;
    const std::size_t first = static_cast<std::size_t>(found - to.blocks.begin()) * block;
    for (std::int64_t token = query_block * head.block; token < (query_block + 1) * head.block; ++token) {
      const row query = head.values(tensor::q, token), gradient = head.values(tensor::out_gradient, token);
      const query_terms terms(head, to, token, query, gradient);
      for (std::size_t i = 0; i < block; ++i) {
        add(gradients.k[i], terms.ds[first + i] / std::sqrt(width), query);
        add(gradients.v[i], terms.p[first + i], gradient);
      }
    }
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
