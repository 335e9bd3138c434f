// The oracle of attention among merged tokens: what must hold of it whatever its kernels.
#include "oracles/merged_attention/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/token_merging/partition_lists.h"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/token_merging/generated_inputs.h"

namespace ablate::merged_attention {
namespace {

using global_attention::tensor;

checked_problem merged_layer(const token_merging::token_partition& layout) {
  checked_problem p;
  p.tokens = layout.tokens();
  p.heads = 2;
  p.merging.layout = layout;
  p.merging.heads = 2;
  const token_merging::partition_lists lists = lists_of(layout);
  p.merging.sources = static_cast<std::int64_t>(lists.sources.size());
  p.merging.destinations = static_cast<std::int64_t>(lists.destinations.size());
  p.merging.appended = static_cast<std::int64_t>(lists.appended.size());
  return p;
}

double merged_element(const checked_problem& p, tensor of, std::int64_t token, int d) {
  return window_attention::float_of_bf16(generated_bits(p.as_layer(), of, 1, token, d));
}

/// As the oracle merges them, but row by row.
row_values mean_of(const checked_problem& p, const token_merging::partition_lists& lists,
                   const std::vector<std::int32_t>& best, tensor of, std::int64_t row) {
  std::vector<std::int64_t> tokens;
  if (row >= p.merging.destinations) {
    tokens.push_back(lists.appended[static_cast<std::size_t>(row - p.merging.destinations)]);
  } else {
    tokens.push_back(lists.destinations[static_cast<std::size_t>(row)]);
    for (std::size_t i = 0; i < best.size(); ++i)
      if (best[i] == row && !p.merging.layout.is_protected(lists.sources[i]))
        tokens.push_back(lists.sources[i]);
  }
  row_values mean{};
  for (int d = 0; d < width; ++d) {
    double sum = 0;
    for (const std::int64_t token : tokens) sum += merged_element(p, of, token, d);
    mean[static_cast<std::size_t>(d)] = sum / static_cast<double>(tokens.size());
  }
  return mean;
}

TEST(MergedOracle, IsAttentionOfMeansToMeans) {
  const checked_problem p = merged_layer({token_geometry::s3r, 2, 1, true});
  const token_merging::partition_lists lists = lists_of(p.merging.layout);
  std::vector<std::int32_t> best;
  for (std::int64_t i = 0; i < p.merging.sources; ++i) best.push_back(generated_best(p.merging, i));
  const std::vector<std::int64_t> rows = {0, p.merging.destinations - 1, p.merging.destinations,
                                          p.merging.attending() - 1};
  const auto attended = reference_among_merged(p, lists, 1, best, rows);
  std::vector<row_values> keys;
  for (std::int64_t row = 0; row < p.merging.attending(); ++row)
    keys.push_back(mean_of(p, lists, best, tensor::k, row));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const row_values query = mean_of(p, lists, best, tensor::q, rows[i]);
    double sum = 0;
    for (const row_values& key : keys) {
      double score = 0;
      for (std::size_t d = 0; d < width; ++d) score += query[d] * key[d];
      sum += std::exp(score / 8);
    }
    // Rows are rounded to bf16 there.
    EXPECT_NEAR(attended[i].lse, std::log(sum), 0.02) << rows[i];
  }
}

TEST(MergedOracle, AProtectedSourceChangesNoDestination) {
  const checked_problem p = merged_layer({token_geometry::s3r, 2, 1, true});
  const token_merging::partition_lists lists = lists_of(p.merging.layout);
  std::vector<std::int32_t> best(static_cast<std::size_t>(p.merging.sources), 5);
  const auto before = reference_among_merged(p, lists, 0, best, {5}).front();
  bool has_any = false;
  for (std::size_t i = 0; i < best.size(); ++i)
    if (p.merging.layout.is_protected(lists.sources[i])) {
      best[i] = 6;
      has_any = true;
    }
  ASSERT_TRUE(has_any);
  EXPECT_EQ(reference_among_merged(p, lists, 0, best, {5}).front().out, before.out);
  best[0] = 6;
  ASSERT_FALSE(p.merging.layout.is_protected(lists.sources[0]));
  EXPECT_NE(reference_among_merged(p, lists, 0, best, {5}).front().out, before.out);
}

TEST(MergedOracle, PartsAreOfTheLayersMemory) {
  checked_problem p = merged_layer({token_geometry::vggt, 3, 1, false});
  EXPECT_EQ(among_merged_of(p).rows, p.merging.attending());
  EXPECT_EQ(among_merged_of(p).attending_rows(), p.merging.attending());
  findings found;
  p.found = &found;
  p.source_sample_count = 4;
  EXPECT_EQ(checked_merging_of(p, token_merging::step::unmerge).found, &found.merging[2]);
  EXPECT_EQ(checked_merging_of(p, token_merging::step::match).sample_count, 4);
  EXPECT_EQ(checked_merging_of(p, token_merging::step::merge).sample_count, 0);
}

}  // namespace
}  // namespace ablate::merged_attention
