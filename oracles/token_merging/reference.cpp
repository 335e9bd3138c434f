#include "oracles/token_merging/reference.h"

#include <algorithm>
#include <cmath>

#include "oracles/token_merging/generated_inputs.h"

namespace ablate::token_merging {

namespace {

/// What a token is matched by.
std::vector<float> generated_match_row(const checked_problem& p, std::int64_t token) {
  std::vector<float> row;
  for (std::int64_t channel = 0; channel < p.channels(); ++channel)
    row.push_back(float_of_bf16(generated_x(p, token, channel)));
  if (p.metric == metric::channels) return row;
  std::vector<float> sums(width);
  for (std::size_t channel = 0; channel < row.size(); ++channel) sums[channel % width] += row[channel];
  double squared = 0;
  for (const float sum : sums) squared += static_cast<double>(sum) * static_cast<double>(sum);
  for (float& sum : sums) sum = float_of_bf16(metric_element(sum, squared));
  return sums;
}

}  // namespace

std::vector<exact_match> reference_matches(const checked_problem& p, const partition_lists& lists,
                                           const std::vector<std::int32_t>& sources) {
  std::vector<std::vector<float>> rows;
  for (const std::int32_t source : sources)
    rows.push_back(generated_match_row(p, lists.sources[static_cast<std::size_t>(source)]));
  std::vector<exact_match> matches(sources.size());
  for (const std::int32_t token : lists.destinations) {
    const std::vector<float> destination = generated_match_row(p, token);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      exact_product product;
      for (std::size_t c = 0; c < destination.size(); ++c)
        product.add(static_cast<double>(rows[i][c]), static_cast<double>(destination[c]));
      matches[i].products.push_back(product);
    }
  }
  for (exact_match& match : matches)
    match.best = static_cast<std::int32_t>(
        std::ranges::max_element(match.products, {}, &exact_product::value) - match.products.begin());
  return matches;
}

exact_mean reference_merged(const problem& p, const partition_lists& lists, int which, std::int64_t row) {
  std::vector<std::int64_t> tokens;
  if (row >= p.destinations) {
    tokens.push_back(lists.appended[static_cast<std::size_t>(row - p.destinations)]);
  } else {
    tokens.push_back(lists.destinations[static_cast<std::size_t>(row)]);
    for (std::size_t i = 0; i < lists.sources.size(); ++i)
      if (generated_best(p, static_cast<std::int64_t>(i)) == row && !p.layout.is_protected(lists.sources[i]))
        tokens.push_back(lists.sources[i]);
  }
  exact_mean result;
  for (std::int64_t head = 0; head < p.heads; ++head)
    for (int element = 0; element < width; ++element) {
      double sum = 0, absolutes = 0;
      for (const std::int64_t token : tokens) {
        const auto value =
            static_cast<double>(float_of_bf16(generated_row_element(p, which, head, token, element)));
        sum += value;
        absolutes += std::abs(value);
      }
      result.mean.push_back(sum / static_cast<double>(tokens.size()));
      result.mean_of_absolutes.push_back(absolutes / static_cast<double>(tokens.size()));
    }
  return result;
}

std::int64_t reference_row_of(const problem& p, const partition_lists& lists, std::int64_t token) {
  const auto number_in = [&](const std::vector<std::int32_t>& list) {
    return std::ranges::lower_bound(list, static_cast<std::int32_t>(token)) - list.begin();
  };
  const bool is_destination = p.layout.is_destination(token);
  if (p.layout.is_protected(token) && (p.layout.twice || !is_destination))
    return p.destinations + number_in(lists.appended);
  return is_destination ? number_in(lists.destinations) : generated_best(p, number_in(lists.sources));
}

}  // namespace ablate::token_merging
