#include "oracles/window_attention_backward/reference.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/memory_cutter.h"
#include "oracles/window_attention/reference.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::window_attention_backward {

namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// [width][tokens] of [tokens][width]: the inner loops then run over tokens, each on its own sum.
std::vector<double> transposed(const std::vector<double>& rows, int width) {
  const std::size_t columns = size(width), count = rows.size() / columns;
  std::vector<double> result(rows.size());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t d = 0; d < columns; ++d) result[d * count + i] = rows[i * columns + d];
  return result;
}

/// Probabilities of one query's keys, and dP − Δ.
struct query_row {
  std::vector<double> p, centered;
};

class rows_of_queries {
 public:
  explicit rows_of_queries(const window_values& w)
      : w_(w), keys_(transposed(w.k, w.width)), values_(transposed(w.v, w.width)) {}

  void compute(std::int64_t query, query_row& row) const {
    products(w_.q, query, keys_, row.p);
    products(w_.out_gradient, query, values_, row.centered);
    const double scale = 1 / std::sqrt(w_.width);
    const double most = *std::max_element(row.p.begin(), row.p.end()) * scale;
    double sum = 0, delta = 0;
    for (double& p : row.p) sum += p = std::exp(p * scale - most);
    for (double& p : row.p) p /= sum;
    // Δ: the row sum of dO∘O is that of P∘dP.
    for (std::size_t j = 0; j < row.p.size(); ++j) delta += row.p[j] * row.centered[j];
    for (double& dp : row.centered) dp -= delta;
  }

 private:
  void products(const std::vector<double>& rows, std::int64_t row, const std::vector<double>& columns,
                std::vector<double>& to) const {
    const std::size_t width = size(w_.width), tokens = size(w_.tokens);
    to.assign(tokens, 0);
    for (std::size_t d = 0; d < width; ++d) {
      const double factor = rows[size(row) * width + d];
      const double* const column = columns.data() + d * tokens;
      for (std::size_t j = 0; j < tokens; ++j) to[j] += factor * column[j];
    }
  }

  const window_values& w_;
  std::vector<double> keys_, values_;
};

}  // namespace

plain_gradients cut_reference(const checked_problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.reference)};
  const window_attention::problem& a = p.attention;
  plain_gradients plain{};
  cutter.cut(plain.is_there, 1);
  for (float*& gradient : plain.of) cutter.cut(gradient, a.elements());
  for (float*& scale : plain.scale) cutter.cut(scale, a.batches * a.tokens * a.heads);
  if (bytes) *bytes = cutter.used;
  return plain;
}

std::size_t reference_bytes(const problem& p) { return bytes_cut(cut_reference, checked_problem{p, {}}); }

window_values values_of(const window_attention::checked_problem& p, std::int64_t batch, std::int64_t window,
                        std::int64_t head) {
  using window_attention::tensor;
  window_values w{static_cast<int>(p.window), p.width, {}, {}, {}, {}};
  const auto fill = [&](std::vector<double>& to, tensor of) {
    to.reserve(size(p.window * p.width));
    for (std::int64_t t = 0; t < p.window; ++t)
      for (int d = 0; d < p.width; ++d)
        to.push_back(window_attention::generated_value(p, of, {batch, window, t, head},
                                                       window_attention::row_of(p, window, t), d));
  };
  fill(w.q, tensor::q);
  fill(w.k, tensor::k);
  fill(w.v, tensor::v);
  fill(w.out_gradient, tensor::out_gradient);
  return w;
}

std::vector<double> exact_query_gradient(const window_values& w, std::int64_t token) {
  query_row row;
  rows_of_queries(w).compute(token, row);
  const std::size_t width = size(w.width);
  const double scale = 1 / std::sqrt(w.width);
  std::vector<double> gradient(width);
  for (std::size_t j = 0; j < row.p.size(); ++j)
    for (std::size_t d = 0; d < width; ++d)
      gradient[d] += scale * row.p[j] * row.centered[j] * w.k[j * width + d];
  return gradient;
}

key_gradients exact_key_gradients(const window_values& w, std::span<const std::int64_t> tokens) {
  const rows_of_queries rows(w);
  const std::size_t width = size(w.width);
  const double scale = 1 / std::sqrt(w.width);
  key_gradients result;
  result.k.resize(tokens.size() * width);
  result.v.resize(tokens.size() * width);
  query_row row;
  for (std::int64_t i = 0; i < w.tokens; ++i) {
    rows.compute(i, row);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const double p = row.p[size(tokens[t])], ds = p * row.centered[size(tokens[t])];
      for (std::size_t d = 0; d < width; ++d) {
        result.k[t * width + d] += scale * ds * w.q[size(i) * width + d];
        result.v[t * width + d] += p * w.out_gradient[size(i) * width + d];
      }
    }
  }
  return result;
}

}  // namespace ablate::window_attention_backward
