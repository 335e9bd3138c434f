#include "kernels/network/weights_ahead.h"

#include <algorithm>

namespace ablate::backbone {
namespace {

constexpr std::int64_t element_bytes = 2;

bool is_fetched_beside(const network& n, std::size_t i) {
  return i == 0 || n.steps[i].kind == step_kind::attention;
}

/// Where the matrices end that a step needs, 0 where it has none.
std::int64_t end_of_weights(const network& n, const step& s) {
  std::int64_t end = 0;
  for (const int i : {s.layer, s.second})
    if (i >= 0 && n.layer_at(i).kind == layer_kind::linear)
      end = std::max(end, element_bytes * (n.place_at(i).bias + n.layer_at(i).outputs));
  return end;
}

}  // namespace

std::vector<byte_range> weights_fetched_beside(const network& n) {
  std::vector<byte_range> all(n.steps.size());
  const std::int64_t bytes = element_bytes * n.weights.matrix_elements;
  std::int64_t fetched = 0;
  for (std::size_t i = 0; i < n.steps.size(); ++i) {
    if (!is_fetched_beside(n, i)) continue;
    std::int64_t needed = end_of_weights(n, n.steps[i]);
    for (std::size_t j = i + 1; j < n.steps.size() && !is_fetched_beside(n, j); ++j)
      needed = std::max(needed, end_of_weights(n, n.steps[j]));
    if (needed <= fetched) continue;
    all[i] = {fetched, std::min(bytes, std::max(needed, fetched + max_bytes_ahead))};
    fetched = all[i].end;
  }
  return all;
}

}  // namespace ablate::backbone
