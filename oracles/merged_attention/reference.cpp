#include "oracles/merged_attention/reference.h"

#include "oracles/common/head_row.h"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/global_attention/running_attention.h"

namespace ablate::merged_attention {

using global_attention::running_attention, global_attention::squared_norm, global_attention::tensor;

namespace {

/// Means of rows, bf16 in the end. Sums in fp32: a head of the longest sequences has a million tokens.
class merged_rows {
 public:
  explicit merged_rows(std::int64_t rows)
      : sums_(static_cast<std::size_t>(rows * width)), counts_(static_cast<std::size_t>(rows)) {}

  void add(std::int64_t to, const row_values& row) {
    for (std::size_t d = 0; d < width; ++d)
      sums_[static_cast<std::size_t>(to) * width + d] += static_cast<float>(row[d]);
    ++counts_[static_cast<std::size_t>(to)];
  }
  row_values mean(std::int64_t of) const {
    const auto at = static_cast<std::size_t>(of);
    return head_row_of([&](int d) {
      return bf16_of(sums_[at * width + static_cast<std::size_t>(d)] / static_cast<float>(counts_[at]));
    });
  }

 private:
  std::vector<float> sums_;
  std::vector<std::int32_t> counts_;
};

/// What q, k or v of a head becomes.
merged_rows merge_head(const checked_problem& p, const token_merging::partition_lists& lists,
                       std::int64_t head, std::span<const std::int32_t> best, tensor of) {
  merged_rows merged(p.merging.attending());
  const global_attention::checked_layer made = p.as_layer();
  const auto add = [&](std::int64_t row, std::int64_t token) {
    merged.add(row, generated_row(made, of, head, token));
  };
  const auto destinations = static_cast<std::int64_t>(lists.destinations.size());
  for (std::int64_t i = 0; i < destinations; ++i) add(i, lists.destinations[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < lists.sources.size(); ++i)
    if (!p.merging.layout.is_protected(lists.sources[i])) add(best[i], lists.sources[i]);
  for (std::size_t i = 0; i < lists.appended.size(); ++i)
    add(destinations + static_cast<std::int64_t>(i), lists.appended[i]);
  return merged;
}

}  // namespace

std::vector<exact_token> reference_among_merged(const checked_problem& p,
                                                const token_merging::partition_lists& lists,
                                                std::int64_t head, std::span<const std::int32_t> best,
                                                const std::vector<std::int64_t>& rows) {
  std::vector<running_attention> attending;
  {
    const merged_rows queries = merge_head(p, lists, head, best, tensor::q);
    for (const std::int64_t row : rows) attending.emplace_back(queries.mean(row));
  }
  const merged_rows keys = merge_head(p, lists, head, best, tensor::k),
                    values = merge_head(p, lists, head, best, tensor::v);
  for (std::int64_t row = 0; row < p.merging.attending(); ++row) {
    const row_values value = values.mean(row), key = keys.mean(row);
    const double squared = squared_norm(value);
    for (running_attention& query : attending) query.add(key, value, squared);
  }
  std::vector<exact_token> attended;
  for (const running_attention& query : attending) attended.push_back(query.result());
  return attended;
}

}  // namespace ablate::merged_attention
