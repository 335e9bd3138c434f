// The operation dense_attention_backward on the host: what it refuses, the checks and the work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "oracles/dense_attention_backward/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"

namespace ablate::dense_attention_backward {
namespace {

using test_support::differing_switches;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& trained() { return *find_operation("dense_attention_backward"); }

std::string refused(const axis_values& given) { return refusal_of(trained(), given); }

const axis_values small = {{"images", "8"}, {"heads", "1"}};

TEST(DenseAttentionTrained, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"images", "64"}}), "");
  EXPECT_THAT(refused({{"images", "3"}}), HasSubstr("whole tiles of 128"));
  EXPECT_THAT(refused({{"images", "128"}}), HasSubstr("at most 65536"));
}

TEST(DenseAttentionTrained, ItsReferencePassesItsCheckAndAFaultDoesNot) {
  solved_workload dense(trained(), small);
  EXPECT_TRUE(dense.check().ok) << dense.check().message;
  dense.output<float>("sampled_gradients")[9 * 64 + 4] += 0.5f;
  EXPECT_THAT(dense.check().message, HasSubstr("dQ, batch 0, row "));
  dense.output<findings>("gradients_found")[0].of[0].worst.error = 0.5f;
  EXPECT_THAT(dense.check().message, HasSubstr("dQ: "));
}

TEST(DenseAttentionTrained, CountsTheWorkOfBothRegions) {
  const solved_workload both(trained(), small),
      alone(trained(), {{"images", "8"}, {"heads", "1"}, {"region", "backward"}});
  EXPECT_EQ(both.work.work.flops, 3.5 * 4 * 64 * 8064.0 * 8064);
  EXPECT_DOUBLE_EQ(both.work.work.flops / alone.work.work.flops, 1.4);
  EXPECT_EQ(both.work.input.at("pairs_of_tokens"), 8064ll * 8064);
  EXPECT_EQ(both.work.input.at("modelled_bytes"), 8064 * (16 * 64 + 4));
}

TEST(DenseAttentionTrained, EachStepTurnsOneSwitch) {
  using ::testing::ElementsAre;
  EXPECT_THAT(differing_switches(trained(), "mma", "mma_reduced"), ElementsAre("dq"));
  EXPECT_THAT(differing_switches(trained(), "mma", "hopper"), ElementsAre("core"));
  EXPECT_THAT(differing_switches(trained(), "hopper", "hopper_bulk"), ElementsAre("dq"));
}

}  // namespace
}  // namespace ablate::dense_attention_backward
