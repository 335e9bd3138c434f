// The operation selection_attention_backward on the host: samples, the check, and the work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "oracles/selection_attention_backward/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"

namespace ablate::selection_attention_backward {
namespace {

using test_support::differing_switches;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& backward() { return *find_operation("selection_attention_backward"); }

TEST(SelectionAttentionBackward, ItsReferencePassesItsCheck) {
  for (const char* lists : {"full", "short"})
    for (const char* popularity : {"even", "skewed", "hubs"}) {
      const solved_workload solved(
          backward(), {{"images", "2"}, {"heads", "2"}, {"lists", lists}, {"popularity", popularity}});
      EXPECT_TRUE(solved.check().ok) << lists << " " << popularity << ": " << solved.check().message;
    }
  const solved_workload large(
      backward(), {{"images", "8"}, {"heads", "1"}, {"block", "64"}, {"selected", "4"}, {"scores", "large"}});
  EXPECT_TRUE(large.check().ok) << large.check().message;
}

TEST(SelectionAttentionBackward, GatesHaveGradientsWhereTheyAreApplied) {
  const axis_values at = {{"images", "2"}, {"heads", "3"}, {"gate", "applied"}};
  solved_workload gated(backward(), at);
  EXPECT_TRUE(gated.check().ok) << gated.check().message;
  // Half of dO on the average, so gradients are about half as large.
  solved_workload ungated(backward(), {{"images", "2"}, {"heads", "3"}});
  double of_gated = 0, of_ungated = 0;
  for (const float x : gated.output<float>("sampled_gradients")) of_gated += std::fabs(x);
  for (const float x : ungated.output<float>("sampled_gradients")) of_ungated += std::fabs(x);
  EXPECT_NEAR(of_gated / of_ungated, 0.5, 0.15);

  const auto gates = gated.output<float>("sampled_gates");
  ASSERT_EQ(gates.size(), 16u * 66);
  gates[5 * 66 + 1] += 20;
  EXPECT_THAT(gated.check().message, HasSubstr("gates, 16 sampled rows"));
  gates[5 * 66 + 1] -= 20;
  for (std::size_t d = 0; d < 64; ++d) gates[3 * 66 + 2 + d] = 0;
  EXPECT_THAT(gated.check().message, HasSubstr("dC, 16 sampled rows"));

  solved_workload off(backward(), at);
  deviations& found = off.output<deviations>("found")[0];
  found.gates.worst.row = (100 * 3 + 2) * 2 + 1;  // token 100, head 2, the selection's
  found.gates.worst.error = 0.5f;
  found.gates.rows_over = 1;
  EXPECT_THAT(off.check().message, HasSubstr("row 100, head 2: element 1"));
  found.gates.worst.error = 0;
  found.compressed.rows -= 1;
  EXPECT_THAT(off.check().message, HasSubstr("dC: 377 of 378 rows were compared"));
}

TEST(SelectionAttentionBackward, SamplesHaveGradients) {
  solved_workload solved(backward(), {{"images", "2"}, {"heads", "2"}});
  const auto sampled = solved.output<float>("sampled_gradients");
  ASSERT_EQ(sampled.size(), 3u * 16 * 64);
  for (std::size_t row = 0; row < 48; ++row) {
    double squared = 0;
    for (std::size_t d = 0; d < 64; ++d) squared += sampled[row * 64 + d] * sampled[row * 64 + d];
    EXPECT_GT(squared, 0) << row;
  }
}

TEST(SelectionAttentionBackward, TheCheckFindsASampledRowOfEachGradient) {
  const axis_values at = {{"images", "2"}, {"heads", "2"}};
  const char* const names[] = {"dQ", "dK", "dV"};
  for (std::size_t gradient = 0; gradient < 3; ++gradient) {
    solved_workload solved(backward(), at);
    const auto sampled = solved.output<float>("sampled_gradients");
    for (std::size_t d = 0; d < 64; ++d) sampled[(gradient * 16 + 7) * 64 + d] = 0;
    EXPECT_THAT(solved.check().message, HasSubstr(std::string(names[gradient]) + ", batch 0, row "));
    EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
    solved_workload not_a_number(backward(), at);
    not_a_number.output<float>("sampled_gradients")[gradient * 16 * 64 + 5] = NAN;
    EXPECT_FALSE(not_a_number.check().ok);
  }
}

// Scores of 100 and more: rows may be off by what is lost in dP − Δ, one wrong element is found all the same.
TEST(SelectionAttentionBackward, TheCheckFindsOneElementWhereOneKeyOutweighsAllOthers) {
  const axis_values at = {{"images", "4"}, {"heads", "2"}, {"scores", "large"}};
  for (std::size_t gradient = 0; gradient < 3; ++gradient) {
    solved_workload solved(backward(), at);
    const auto sampled = solved.output<float>("sampled_gradients").subspan(gradient * 16 * 64, 16 * 64);
    float& greatest = *std::ranges::max_element(sampled, {}, [](float x) { return std::fabs(x); });
    ASSERT_GT(std::fabs(greatest), 0.1f);
    greatest = -greatest;
    EXPECT_FALSE(solved.check().ok) << gradient;
    greatest = -1.001f * greatest;
    EXPECT_TRUE(solved.check().ok) << gradient << ": " << solved.check().message;
    greatest = NAN;
    EXPECT_FALSE(solved.check().ok) << gradient;
  }
}

TEST(SelectionAttentionBackward, TheCheckNamesTheRowThatIsOff) {
  solved_workload solved(backward(), {{"images", "2"}, {"heads", "2"}});
  window_attention::deviation& of_keys = solved.output<deviations>("found")[0].of[1];
  of_keys.worst.row = 2016 + 100;  // of all compared rows: row 100 of head 1
  of_keys.worst.error = 0.5f;
  of_keys.rows_over = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("dK"));
  EXPECT_THAT(solved.check().message, HasSubstr("row 100, head 1"));
  of_keys.worst.error = 0;
  of_keys.rows -= 1;
  EXPECT_THAT(solved.check().message, HasSubstr("were compared"));
}

TEST(SelectionAttentionBackward, CountsWhatItMultipliesAndGathers) {
  const solved_workload solved(backward(),
                               {{"images", "4"}, {"heads", "3"}, {"block", "32"}, {"selected", "8"}});
  const double entries = 3.0 * 126 * 8;
  EXPECT_EQ(solved.work.input.at("entries"), entries);
  EXPECT_EQ(solved.work.work.flops, entries * 10 * 32 * 32 * 64);
  // Two tiles of 16 for each of the queries' and of the keys': four pairs, of 4 KiB, in both passes.
  EXPECT_EQ(solved.work.input.at("gathered_bytes"), entries * 4 * 4096 * 2);
}

TEST(SelectionAttentionBackward, RefusesTokensThatAreNoWholeBlocks) {
  EXPECT_EQ(refusal_of(backward(), {}), "");
  EXPECT_THAT(refusal_of(backward(), {{"block", "64"}, {"images", "3"}}),
              HasSubstr("not whole blocks of 64"));
}

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(backward(), one, other);
}

TEST(SelectionAttentionBackward, EachStepTurnsOneSwitch) {
  using names = std::vector<std::string>;
  EXPECT_EQ(differences("two_pass", "two_pass+cut=none"), names{"cut"});
  EXPECT_EQ(differences("two_pass", "two_pass_reduced"), names{"pieces"});
  EXPECT_EQ(differences("two_pass", "two_pass+tiles_ahead=0"), names{"tiles_ahead"});
  EXPECT_EQ(differences("two_pass_reduced", "two_pass_any_order"), names{"rows"});
  EXPECT_EQ(differences("two_pass", "two_pass_any_order+pieces=in_order"), names{"rows"});
  EXPECT_EQ(differences("two_pass", "by_key"), (names{"passes", "dq"}));
  EXPECT_EQ(differences("by_key", "by_key+ranks=second_atomic"), names{"ranks"});
}

}  // namespace
}  // namespace ablate::selection_attention_backward
