// The operation gated_attention_backward on the host: what it refuses, the checks, the work and the memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/gated_attention_backward/gated_attention_backward.h"
#include "oracles/gated_attention/findings.h"
#include "oracles/gated_attention_backward/findings.h"
#include "oracles/gated_attention_backward/reference.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/solved_workload.h"
#include "tests/support/spoiled_workload.h"
#include "variants/gated_attention_backward/prepare.h"

namespace ablate::gated_attention_backward {
namespace {

using test_support::differing_switches;
using test_support::message_once_spoiled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const operation& trained() { return *find_operation("gated_attention_backward"); }

std::string refused(const axis_values& given) { return refusal_of(trained(), given); }

const axis_values small = {{"images", "2"}, {"heads", "2"}};

TEST(GatedAttentionTrained, RefusesWhatIsNoCase) {
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"images", "1024"}}), "");
  EXPECT_THAT(refused({{"images", "3"}, {"block", "32"}}), HasSubstr("not whole blocks of 32"));
  EXPECT_THAT(refused({{"selected", "12"}}), HasSubstr("power of two"));
}

TEST(GatedAttentionTrained, ItsReferencePassesItsCheck) {
  for (const char* scores : {"scene", "unit", "integers", "ascending", "equal"}) {
    const check_result checked =
        solved_workload(trained(), {{"images", "1"}, {"heads", "2"}, {"selected", "8"}, {"scores", scores}})
            .check();
    EXPECT_TRUE(checked.ok) << scores << ": " << checked.message;
  }
  const check_result backward = solved_workload(trained(), {{"images", "2"}, {"region", "backward"}}).check();
  EXPECT_TRUE(backward.ok) << backward.message;
}

TEST(GatedAttentionTrained, ItsReferencePassesItsCheckOfLongBlocks) {
  const check_result checked =
      solved_workload(trained(), {{"images", "8"}, {"heads", "1"}, {"block", "128"}, {"selected", "2"}})
          .check();
  EXPECT_TRUE(checked.ok) << checked.message;
}

TEST(GatedAttentionTrained, SamplesHaveGradients) {
  solved_workload solved(trained(), small);
  const auto sampled = solved.output<float>("sampled_gradients");
  ASSERT_EQ(sampled.size(), 3u * 16 * 64);
  for (std::size_t row = 0; row < 48; ++row) {
    double squared = 0;
    for (std::size_t d = 0; d < 64; ++d) squared += sampled[row * 64 + d] * sampled[row * 64 + d];
    EXPECT_GT(squared, 0) << row;
  }
}

TEST(GatedAttentionTrained, TheCheckFindsASampledRowOfEachGradient) {
  const char* const names[] = {"dQ", "dK", "dV"};
  solved_workload solved(trained(), small);
  const auto all = solved.output<float>("sampled_gradients");
  const std::vector<float> right(all.begin(), all.end());
  for (std::size_t gradient = 0; gradient < 3; ++gradient) {
    const auto row = all.subspan((gradient * 16 + 7) * 64, 64);
    std::ranges::fill(row, 0.0f);
    EXPECT_THAT(solved.check().message, HasSubstr(std::string(names[gradient]) + ", batch 0, row "));
    EXPECT_THAT(solved.check().message, HasSubstr("against fp64"));
    std::ranges::copy(right, all.begin());
    row[5] = NAN;
    EXPECT_FALSE(solved.check().ok);
    std::ranges::copy(right, all.begin());
  }
  EXPECT_TRUE(solved.check().ok);
}

// What a layer leaves whose tokens get nothing of their pooled rows: too little to be a rounding error.
TEST(GatedAttentionTrained, TheCheckFindsThatPooledRowsWereLeftOut) {
  const axis_values at = {{"images", "1"}, {"heads", "1"}, {"selected", "1"}};
  solved_workload solved(trained(), at);
  ASSERT_TRUE(solved.check().ok);
  // dV of a key of the sampled block without the share of its mean, by the oracle's own lists.
  const auto sampled = solved.output<float>("sampled_gradients");
  const auto lists = solved.output<std::int32_t>("sampled_lists");
  checked_problem p;
  p.forward.tokens = 1008;
  p.forward.selected = 1;
  const head_values head =
      generated_head(p, 0, [&](std::int64_t block, int) { return lists[static_cast<std::size_t>(block)]; });
  for (std::int64_t block = 0; block < 63; ++block) {
    const std::vector<std::int64_t> named_by = query_blocks_of(head, block);
    if (named_by.empty()) continue;
    const row alone = exact_key_gradients(head, block, named_by).v[3].of;
    const std::span<float> whole = sampled.subspan((2 * 16 + 3) * 64, 64);
    double off = 0, of = 0;
    for (std::size_t d = 0; d < 64; ++d) {
      off += (alone[d] - whole[d]) * (alone[d] - whole[d]);
      of += alone[d] * alone[d];
    }
    if (off > of / 4) continue;  // another block's
    std::ranges::transform(alone, whole.begin(), [](double x) { return static_cast<float>(x); });
    EXPECT_THAT(solved.check().message, HasSubstr("dV, batch 0"));
    return;
  }
  FAIL() << "no block is the sampled one";
}

TEST(GatedAttentionTrained, TheCheckFindsOneGateAndOneRowOfDC) {
  solved_workload solved(trained(), small);
  const auto gates = solved.output<float>("sampled_gates");
  ASSERT_EQ(gates.size(), 16u * 66);
  gates[5 * 66] += 2;
  EXPECT_THAT(solved.check().message, HasSubstr("compression's gate"));
  gates[5 * 66] -= 2;
  gates[15 * 66 + 1] = -gates[15 * 66 + 1] + 2;
  EXPECT_THAT(solved.check().message, HasSubstr("selection's gate"));
  gates[15 * 66 + 1] = 2 - gates[15 * 66 + 1];
  gates[3 * 66 + 2 + 63] += 0.5f;
  EXPECT_THAT(solved.check().message, HasSubstr("dC of the block"));
}

TEST(GatedAttentionTrained, TheCheckFindsAFaultInEachPart) {
  solved_workload solved(trained(), small);
  const auto message = [&](auto spoil) {
    findings& found = solved.output<findings>("gradients_found")[0];
    const findings right = found;
    spoil(found);
    const std::string what = solved.check().message;
    found = right;
    return what;
  };
  EXPECT_THAT(message([](findings& f) { f.rows.of[1].rows -= 1; }),
              HasSubstr("dk of pooled rows: 255 of 256"));
  EXPECT_THAT(message([](findings& f) { f.rows.of[2].worst.error = NAN; }), HasSubstr("dv of pooled rows"));
  EXPECT_THAT(message([](findings& f) { f.selected.out.worst.error = 0.1f; }), HasSubstr("S: "));
  EXPECT_THAT(message([](findings& f) { f.wrongly_moved = 3; }), HasSubstr("3 elements are not those"));
  EXPECT_THAT(message([](findings& f) { f.not_turned = 1; }), HasSubstr("1 are in no row"));
  EXPECT_THAT(message([](findings& f) { f.turned_around = 5; }), HasSubstr("5 entries for 0 of lists"));
  EXPECT_THAT(message([](findings& f) { f.gradient.gates.worst.error = 0.1f; }), HasSubstr("gates: "));
  EXPECT_THAT(message([](findings& f) { f.gradient.compressed.rows = 0; }), HasSubstr("dC: 0 of 252"));
  EXPECT_THAT(message([](findings& f) {
                f.gradient.of[0].worst.error = 0.5f;
                f.gradient.of[0].worst.row = 2016 + 77;
              }),
              HasSubstr("row 77, head 1"));
}

TEST(GatedAttentionTrained, TheForwardPassIsCheckedToo) {
  solved_workload solved(trained(), small);
  solved.output<gated_attention::findings>("found")[0].compression.of.out.worst.error = 0.1f;
  EXPECT_THAT(solved.check().message, HasSubstr("C: "));
}

TEST(GatedAttentionTrained, CountsTheWorkOfBothRegions) {
  const axis_values at = {{"images", "4"}, {"heads", "3"}, {"block", "32"}, {"selected", "8"}};
  const solved_workload both(trained(), at);
  const double tokens = 4032, blocks = 126;
  EXPECT_EQ(both.work.work.flops, 3.5 * 4 * 64 * 3 * (blocks * blocks + blocks * 8 * 32 * 32));
  EXPECT_EQ(both.work.work.bytes, 3 * tokens * (8 * 2 * 64 + 4 + 16));
  EXPECT_EQ(both.work.work.written_bytes, 3 * tokens * (4 * 2 * 64 + 4 + 8));
  axis_values alone = at;
  alone.set("region", "backward");
  const solved_workload backward(trained(), alone);
  EXPECT_EQ(backward.work.work.flops, both.work.work.flops / 3.5 * 2.5);
  EXPECT_EQ(backward.work.work.written_bytes, 3 * tokens * (3 * 2 * 64 + 8));
}

/// What a variant's case takes, over the modelled bytes (docs/operations/gated_attention_backward.md, Work).
double memory_over_model(const char* variant, const axis_values& given) {
  const input_library inputs(1, {}, {});
  double bytes = 0;
  for (const buffer& b :
       trained().buffers_of(trained().find_variant(variant), values_of(trained(), given), inputs))
    if (b.role == buffer_role::scratch || b.role == buffer_role::result)
      bytes += static_cast<double>(b.bytes);
  problem p;
  p.forward.tokens = std::stoll(given.word("images")) * 1008;
  p.forward.heads = 16;
  return bytes / modelled_bytes(p);
}

TEST(GatedAttentionTrained, ItsMemoryIsNearTheModel) {
  for (const char* images : {"32", "128", "1024"}) {
    EXPECT_LT(memory_over_model("published", {{"images", images}}), 1.25) << images;
    EXPECT_LT(memory_over_model("hopper", {{"images", images}}), 1.15) << images;
  }
  EXPECT_GT(memory_over_model("hopper", {{"images", "1024"}}), 1);
  EXPECT_LT(memory_over_model("hopper", {{"images", "1024"}}), 1.1);
}

TEST(GatedAttentionTrained, PooledRowsMoveWhereTheyAreNoWholeTiles) {
  problem p;
  p.forward.heads = 2;
  p.forward.tokens = 32 * 1008;
  EXPECT_TRUE(p.moves_rows());
  EXPECT_EQ(p.padded_rows(), 2048);
  EXPECT_EQ(moved_rows_bytes(p), 2 * 2048 * (8 * 128 + 4));
  p.forward.tokens = 128 * 1008;
  EXPECT_FALSE(p.moves_rows());
  EXPECT_EQ(moved_rows_bytes(p), 0);
}

TEST(GatedAttentionTrained, TheSampledHeadIsAmongTheComparedOnes) {
  checked_problem p;
  p.forward.heads = 16;
  for (const std::int64_t images : {1, 32, 512, 1024})
    for (const std::int64_t head : {0, 7, 15}) {
      p.forward.tokens = images * 1008;
      p.sampled_head = head;
      EXPECT_LE(p.compared_heads().first, head) << images;
      EXPECT_LT(head, p.compared_heads().first + p.compared_heads().count) << images;
      EXPECT_LE(p.compared_heads().first + p.compared_heads().count, 16) << images;
    }
  p.forward.tokens = 32 * 1008;
  EXPECT_EQ(p.compared_heads().count, 16);
  p.forward.tokens = 1024 * 1008;
  EXPECT_EQ(p.compared_heads().count, 2);
}

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(trained(), one, other);
}

TEST(GatedAttentionTrained, EachStepTurnsItsSwitches) {
  EXPECT_THAT(differences("threshold", "threshold_adjoint_apart"), ElementsAre("adjoint"));
  EXPECT_THAT(differences("threshold_two_streams", "threshold_adjoint_apart"),
              ElementsAre("backward", "branches", "heads_per_stream"));
  EXPECT_THAT(differences("threshold", "threshold_reduced"), ElementsAre("rows", "dq", "pieces"));
  EXPECT_THAT(differences("threshold", "hopper"), ElementsAre("core"));
  EXPECT_THAT(differences("hopper", "hopper_bulk"), ElementsAre("rows", "dq", "pieces"));
  EXPECT_THAT(differences("threshold", "threshold_reduced+rows=ordered+pieces=in_order"), ElementsAre("dq"));
  EXPECT_THAT(differences("published", "published+adjoint=epilogue"), ElementsAre("adjoint"));
}

}  // namespace
}  // namespace ablate::gated_attention_backward
