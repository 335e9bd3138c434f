#include "oracles/block_sparse_selection/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "oracles/block_sparse_selection/generated_inputs.h"
#include "oracles/common/head_row.h"

namespace ablate::block_sparse_selection {

namespace {

double mass_of(double score, double greatest) { return std::exp((score - greatest) / 8); }

/// The key blocks in the order in which a row keeps them.
std::vector<std::size_t> ranked(const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace

double exact_row::greatest() const { return std::ranges::max(scores); }

head_oracle::head_oracle(const checked_problem& p, std::int64_t head) : problem_(p), head_(head) {
  for (std::int64_t key = 0; key < p.keys; ++key) keys_.push_back(generated_row(p, tensor::k, head, key));
}

exact_row head_oracle::row(std::int64_t query) const {
  return reference_row(problem_, generated_row(problem_, tensor::q, head_, query), keys_);
}

exact_row reference_row(const problem& p, const row_values& query, const std::vector<row_values>& keys) {
  exact_row row;
  for (const row_values& key : keys) {
    double score = 0, bound = 0;
    for (std::size_t d = 0; d < width; ++d) {
      score += query[d] * key[d];
      bound += std::abs(query[d] * key[d]);
    }
    row.scores.push_back(score);
    row.bounds.push_back(bound);
  }
  const std::vector<std::size_t> order = ranked(row.scores);
  const double greatest = row.scores[order.front()];
  double total = 0;
  for (const std::size_t key : order) total += mass_of(row.scores[key], greatest);

  row.kept.assign(static_cast<std::size_t>(p.words()), 0);
  row.count = 0;
  double mass = 0;
  for (const std::size_t key : order) {
    if (row.count >= p.least_kept() && 100 * mass >= p.mass_percent * total) break;
    mass += mass_of(row.scores[key], greatest);
    row.kept[key / 32] |= 1u << key % 32;
    ++row.count;
  }
  row.mass = mass / total;
  return row;
}

row_facts facts_of(const exact_row& row, const std::uint32_t* kept) {
  row_facts facts;
  const double greatest = row.greatest();
  const std::size_t keys = row.scores.size();
  for (std::size_t key = 0; key < keys; ++key)
    facts.add(static_cast<int>(key), (kept[key / 32] >> key % 32 & 1) != 0, row.scores[key], row.bounds[key],
              mass_of(row.scores[key], greatest));
  if (keys % 32 != 0 && kept[keys / 32] >> keys % 32 != 0) facts.strays = 1;
  return facts;
}

}  // namespace ablate::block_sparse_selection
