// The operation token_merging on the host: the partition, the oracle, and the check.
#include "kernels/token_merging/partition_lists.h"
#include "oracles/token_merging/checked_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "oracles/token_merging/generated_inputs.h"
#include "oracles/token_merging/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::token_merging {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& merging() { return *find_operation("token_merging"); }

TEST(TokenPartition, HasOneDestinationACellAndAllOfTheFirstImage) {
  for (const token_geometry geometry : {token_geometry::s3r, token_geometry::vggt}) {
    const token_partition layout{geometry, 3, 1, true};
    const partition_lists lists = lists_of(layout);
    const int special = layout.special(), of_image = layout.tokens_of_image();
    EXPECT_EQ(of_image, geometry == token_geometry::vggt ? 1041 : 1008);
    EXPECT_EQ(static_cast<int>(lists.destinations.size()), of_image + 2 * (special + 14 * 18));
    EXPECT_EQ(static_cast<std::int64_t>(lists.sources.size() + lists.destinations.size()), layout.tokens());
    std::set<int> cells;
    for (const std::int32_t token : lists.destinations) {
      const int patch = token % of_image - special;
      if (token / of_image != 1 || patch < 0) continue;
      const int x = patch % layout.columns(), y = patch / layout.columns();
      EXPECT_LT(x, 36);
      EXPECT_TRUE(cells.insert(y / 2 * 18 + x / 2).second);
    }
    EXPECT_EQ(cells.size(), 252u);
  }
}

TEST(TokenPartition, DrawsEveryPlaceOfACell) {
  const token_partition layout{token_geometry::s3r, 9, 1, true};
  int drawn[4] = {};
  for (std::int64_t token = 1008; token < layout.tokens(); ++token)
    if (layout.is_destination(token)) ++drawn[token % 1008 / 36 % 2 * 2 + token % 1008 % 36 % 2];
  for (const int count : drawn) EXPECT_NEAR(count, 504, 80);
}

TEST(TokenPartition, ProtectsOneTokenInTen) {
  const partition_lists twice = lists_of({token_geometry::vggt, 32, 1, true}),
                        once = lists_of({token_geometry::vggt, 32, 1, false});
  EXPECT_EQ(twice.appended.size(), 3331u);  // a tenth of 33312, every tenth
  EXPECT_EQ(twice.appended[7], 70);
  const std::set<std::int32_t> destinations(twice.destinations.begin(), twice.destinations.end());
  const auto both =
      std::ranges::count_if(twice.appended, [&](std::int32_t token) { return destinations.contains(token); });
  EXPECT_GT(both, 700);
  EXPECT_EQ(once.appended.size(), twice.appended.size() - static_cast<std::size_t>(both));
}

TEST(TokenPartition, PlacesSayWhereEachTokensRowIs) {
  for (const bool is_twice : {true, false}) {
    const token_partition layout{token_geometry::vggt, 3, 1, is_twice};
    const partition_lists lists = lists_of(layout);
    problem p;
    p.layout = layout;
    p.destinations = static_cast<std::int64_t>(lists.destinations.size());
    p.sources = static_cast<std::int64_t>(lists.sources.size());
    for (std::int64_t token = 0; token < layout.tokens(); ++token) {
      const std::int32_t place = lists.places[static_cast<std::size_t>(token)];
      const std::int64_t row = place >= 0 ? place : generated_best(p, -1 - place);
      EXPECT_EQ(row, reference_row_of(p, lists, token)) << token;
    }
  }
}

TEST(TokenMerging, HasThePublishedShares) {
  // FastVGGT's partition (docs/operations/token_merging.md), of 1041 tokens an image.
  const auto quality_at = [](const char* images) {
    return solved_workload(merging(),
                           {{"images", images}, {"heads", "1"}, {"step", "unmerge"}, {"geometry", "vggt"}})
        .quality();
  };
  EXPECT_NEAR(quality_at("32").at("attending_share").get<double>(), 0.370, 0.001);
  EXPECT_NEAR(quality_at("32").at("sparsity").get<double>(), 0.764, 0.001);
  EXPECT_NEAR(quality_at("1024").at("destination_share").get<double>(), 0.248, 0.001);
  EXPECT_NEAR(quality_at("1024").at("attending_share").get<double>(), 0.348, 0.001);
  EXPECT_NEAR(quality_at("1024").at("sparsity").get<double>(), 0.786, 0.001);
}

TEST(TokenMerging, TokensOfOneSceneMatch) {
  checked_problem p;
  p.layout = {token_geometry::s3r, 3, 1, true};
  p.heads = 2;
  const partition_lists lists = lists_of(p.layout);
  const std::vector<std::int32_t> sources = {5, 99, 400};  // of the second image
  const std::vector<exact_match> matches = reference_matches(p, lists, sources);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::int32_t source = lists.sources[static_cast<std::size_t>(sources[i])],
                       destination = lists.destinations[static_cast<std::size_t>(matches[i].best)];
    // The place that it shows, in the first image or the third one.
    const auto place = [](std::int32_t token) { return token / 1008 * 40 + token % 1008; };
    EXPECT_EQ(place(source), place(destination));
  }
}

TEST(TokenMerging, EqualTokensMatchTheFirst) {
  checked_problem p;
  p.layout = {token_geometry::s3r, 2, 1, true};
  p.what = scores::equal;
  EXPECT_EQ(reference_matches(p, lists_of(p.layout), {17}).front().best, 0);
}

TEST(TokenMerging, AMergedRowIsTheMeanOfWhatMerges) {
  checked_problem p;
  p.layout = {token_geometry::s3r, 2, 1, true};
  const partition_lists lists = lists_of(p.layout);
  p.sources = static_cast<std::int64_t>(lists.sources.size());
  p.destinations = static_cast<std::int64_t>(lists.destinations.size());
  p.appended = static_cast<std::int64_t>(lists.appended.size());
  const auto element = [&](std::int64_t token) {
    return static_cast<double>(float_of_bf16(generated_row_element(p, 1, 0, token, 9)));
  };
  double sum = element(lists.destinations[0]), count = 1;
  int left_out = 0;
  for (std::size_t i = 0; i < lists.sources.size(); ++i) {
    if (generated_best(p, static_cast<std::int64_t>(i)) != 0) continue;
    if (p.layout.is_protected(lists.sources[i])) {
      ++left_out;
      continue;
    }
    sum += element(lists.sources[i]);
    ++count;
  }
  EXPECT_GT(count, 5);
  EXPECT_GE(left_out, 1);
  EXPECT_NEAR(reference_merged(p, lists, 1, 0).mean[9], sum / count, 1e-12);
  // After the destinations: protected tokens as they were.
  EXPECT_EQ(reference_merged(p, lists, 1, p.destinations + 3).mean[9], element(lists.appended[3]));
}

TEST(TokenMerging, ItsReferencePassesItsCheck) {
  for (const char* geometry : {"s3r", "vggt"}) {
    for (const char* scores : {"scene", "unit", "integers", "equal"}) {
      const solved_workload solved(
          merging(), {{"images", "2"}, {"heads", "2"}, {"scores", scores}, {"geometry", geometry}});
      EXPECT_TRUE(solved.check().ok) << scores << ": " << solved.check().message;
    }
    for (const char* step : {"merge", "unmerge"})
      for (const char* twice : {"twice", "once"}) {
        const solved_workload solved(
            merging(),
            {{"images", "3"}, {"heads", "2"}, {"step", step}, {"protected", twice}, {"geometry", geometry}});
        EXPECT_TRUE(solved.check().ok) << step << ": " << solved.check().message;
      }
  }
}

TEST(TokenMerging, MatchesByTheMeanOfHeads) {
  checked_problem p;
  p.layout = {token_geometry::s3r, 3, 1, true};
  p.heads = 4;
  p.metric = metric::mean_of_heads;
  const partition_lists lists = lists_of(p.layout);
  // Tokens that show one place match in 64 channels, too, and their rows have length 1.
  const std::int32_t source = lists.sources[99];
  const exact_match match = reference_matches(p, lists, {99}).front();
  const std::int32_t destination = lists.destinations[static_cast<std::size_t>(match.best)];
  EXPECT_EQ(source / 1008 * 40 + source % 1008, destination / 1008 * 40 + destination % 1008);
  EXPECT_GT(match.products[static_cast<std::size_t>(match.best)].value, 0.4);
  EXPECT_LT(match.products[static_cast<std::size_t>(match.best)].value, 1.01);
  EXPECT_EQ(metric_element(0, 0), 0);
  EXPECT_EQ(metric_element(-3, 9), window_attention::bf16_of(-1));

  const axis_values at = {{"images", "2"}, {"heads", "4"}, {"metric", "mean_of_heads"}};
  for (const char* scores : {"scene", "unit", "integers", "equal"}) {
    axis_values with_scores = at;
    with_scores.set("scores", scores);
    const solved_workload solved(merging(), with_scores);
    EXPECT_TRUE(solved.check().ok) << scores << ": " << solved.check().message;
  }
  solved_workload wrong(merging(), at);
  EXPECT_DOUBLE_EQ(wrong.work.work.flops, 2.0 * 64 * 756 * 1260);
  wrong.output<findings>("found")[0].wrong_metric_rows = 2;
  EXPECT_THAT(wrong.check().message, HasSubstr("2 of 2016 rows that tokens are matched by are wrong"));
}

TEST(TokenMerging, TheCheckFindsAWrongMatchAndAWrongTie) {
  const axis_values scene = {{"images", "2"}, {"heads", "1"}};
  solved_workload wrong(merging(), scene);
  wrong.output<std::int32_t>("sampled_best")[2] ^= 1;
  EXPECT_THAT(wrong.check().message, HasSubstr("is wrong by the oracle"));
  solved_workload product(merging(), scene);
  product.output<float>("sampled_similarity")[3] *= 1.001f;
  EXPECT_THAT(product.check().message, HasSubstr("is wrong by the oracle"));
  solved_workload none(merging(), scene);
  none.output<std::int32_t>("sampled_best")[0] = -1;
  EXPECT_FALSE(none.check().ok);
  for (const char* metric : {"channels", "mean_of_heads"}) {
    solved_workload tie(merging(),
                        {{"images", "2"}, {"heads", "3"}, {"scores", "equal"}, {"metric", metric}});
    ASSERT_TRUE(tie.check().ok) << metric;
    tie.output<std::int32_t>("sampled_best")[1] = 1;
    EXPECT_FALSE(tie.check().ok) << metric;
  }
}

TEST(TokenMerging, TheCheckFindsOneElementOfAMeanAndOfACopy) {
  for (const char* step : {"merge", "unmerge"}) {
    solved_workload element(merging(), {{"images", "2"}, {"heads", "2"}, {"step", step}});
    auto rows = element.output<std::uint16_t>("sampled_rows");
    rows[128 + 77] ^= 4;  // of the first sample: its row of k, or after its copy
    EXPECT_EQ(element.check().ok, std::string(step) == "unmerge");
    rows[77] ^= 4;
    EXPECT_THAT(element.check().message, HasSubstr("is wrong by the oracle"));
  }
}

TEST(TokenMerging, TheCheckReadsWhatTheDeviceFinds) {
  const axis_values at = {{"images", "2"}, {"heads", "1"}, {"step", "unmerge"}};
  solved_workload unjudged(merging(), at);
  unjudged.output<findings>("found")[0].judged -= 1;
  EXPECT_THAT(unjudged.check().message, HasSubstr("2015 of 2016 tokens were judged"));
  solved_workload wrong(merging(), at);
  wrong.output<findings>("found")[0].wrong = 2;
  wrong.output<findings>("found")[0].first_wrong = 1234;
  EXPECT_THAT(wrong.check().message, HasSubstr("2 of 2016 tokens are wrong; the first: 1234"));
}

TEST(TokenMerging, RefusesWhatAStepDoesNotRead) {
  const auto refused = [](const axis_values& given) { return refusal_of(merging(), given); };
  EXPECT_EQ(refused({}), "");
  EXPECT_THAT(refused({{"images", "1"}}), HasSubstr("destinations"));
  EXPECT_THAT(refused({{"step", "merge"}, {"scores", "unit"}}), HasSubstr("scores=unit"));
  EXPECT_THAT(refused({{"protected", "once"}}), HasSubstr("protected=once"));
  EXPECT_EQ(refused({{"metric", "mean_of_heads"}}), "");
  EXPECT_THAT(refused({{"step", "merge"}, {"metric", "mean_of_heads"}}), HasSubstr("metric=mean_of_heads"));
}

}  // namespace
}  // namespace ablate::token_merging
