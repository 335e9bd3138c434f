// The operation block_sparse_attention_backward on the host: what it refuses, the checks and the work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "oracles/block_sparse_attention_backward/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"
#include "tests/support/spoiled_workload.h"

namespace ablate::block_sparse_attention_backward {
namespace {

using test_support::message_once_spoiled;
using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& trained() { return *find_operation("block_sparse_attention_backward"); }

std::string refused(const axis_values& given) { return refusal_of(trained(), given); }

const axis_values small = {{"images", "8"}, {"heads", "2"}};

TEST(BlockSparseTrained, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"images", "1024"}, {"mass", "50"}, {"kept", "20"}}), "");
  EXPECT_THAT(refused({{"images", "4"}}), HasSubstr("whole blocks of 128 queries"));
  EXPECT_THAT(refused({{"images", "1200"}}), HasSubstr("18900 key blocks"));
}

TEST(BlockSparseTrained, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "integers"})
    for (const char* kept : {"0", "50"}) {
      axis_values at = small;
      at.set("scores", scores);
      at.set("kept", kept);
      const solved_workload solved(trained(), at);
      EXPECT_TRUE(solved.check().ok) << scores << ", " << kept << ": " << solved.check().message;
    }
}

TEST(BlockSparseTrained, OfAllBlocksItsGradientIsThatOfDenseAttention) {
  axis_values all = small;
  all.set("kept", "100");
  solved_workload kept(trained(), all), of_dense(*find_operation("dense_attention_backward"), small);
  // The first token and the last one are samples of both.
  const auto by_blocks = kept.output<float>("sampled_gradients"),
             by_all = of_dense.output<float>("sampled_gradients");
  for (const std::size_t sample : {std::size_t{0}, std::size_t{15}})
    for (std::size_t d = 0; d < 64; ++d)
      EXPECT_NEAR(by_blocks[sample * 64 + d], by_all[sample * 64 + d], 1e-6) << sample << ", " << d;
}

TEST(BlockSparseTrained, TheCheckFindsAFaultInEachPart) {
  const auto message = [](auto spoil) { return message_once_spoiled(trained(), small, spoil); };
  const auto with_findings = [&](auto spoil) {
    return message([&](solved_workload& of) { spoil(of.output<findings>("gradients_found")[0]); });
  };
  EXPECT_THAT(with_findings([](findings& f) { f.not_turned = 7; }), HasSubstr("bits turned around: 7"));
  EXPECT_THAT(with_findings([](findings& f) { f.rows.of[1].worst.error = 0.5f; }), HasSubstr("dK: "));
  EXPECT_THAT(with_findings([](findings& f) { f.rows.of[2].rows -= 1; }), HasSubstr("were compared"));
  EXPECT_THAT(
      message([](solved_workload& of) { of.output<float>("sampled_gradients")[15 * 64 + 63] += 0.5f; }),
      HasSubstr("dQ, batch 0, row 8063"));
  // The forward pass is checked too.
  EXPECT_THAT(message([](solved_workload& of) { of.output<float>("sampled_out")[5] += 0.5f; }),
              HasSubstr("O, batch 0, row 0"));
}

TEST(BlockSparseTrained, AQueryThatKeepsOtherBlocksHasAnotherGradient) {
  solved_workload solved(trained(), small);
  solved.output<std::uint32_t>("sampled_kept")[0] ^= 0xffffffffu;
  EXPECT_FALSE(solved.check().ok);
}

TEST(BlockSparseTrained, CountsTheWorkOfBothRegions) {
  axis_values backward = small;
  backward.set("region", "backward");
  const solved_workload both(trained(), small), alone(trained(), backward);
  EXPECT_DOUBLE_EQ(both.work.work.flops / alone.work.work.flops, 1.4);
  EXPECT_EQ(both.work.input.at("pairs_of_tokens"), 2 * 8064ll * 8064);
  EXPECT_GT(both.quality().at("sparsity_blocks").get<double>(), 0.2);
  EXPECT_TRUE(both.quality().contains("dq_error_sampled"));
}

}  // namespace
}  // namespace ablate::block_sparse_attention_backward
