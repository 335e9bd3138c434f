// The operations backbone and block on the host: the check finds what is wrong with an index, a step or an
// output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "oracles/backbone/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"

namespace ablate::backbone {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using ::testing::HasSubstr;

const axis_values tiny = {
    {"model", "small"}, {"points", "300"}, {"points_as", "raw"}, {"window", "256"}, {"bucket", "128"}};
constexpr std::size_t tiny_rows = 1536;  ///< six windows

const axis_values tiny_ptv3 = {{"model", "small_ptv3"},
                               {"points", "400"},
                               {"distribution", "uniform"},
                               {"window", "256"},
                               {"bucket", "128"}};

const axis_values tiny_in_buckets = {{"model", "small_in_buckets"},
                                     {"points", "400"},
                                     {"distribution", "uniform"},
                                     {"window", "256"},
                                     {"bucket", "128"}};

solved_workload solved_ptv3() { return {*find_operation("backbone"), tiny_ptv3}; }

solved_workload tiny_backbone() { return {*find_operation("backbone"), tiny}; }

solved_workload tiny_block() {
  return {*find_operation("block"),
          {{"rows", "512"}, {"channels", "32"}, {"window", "256"}, {"bucket", "128"}}};
}

TEST(Backbone, TheReferenceIsRight) {
  EXPECT_TRUE(tiny_backbone().check().ok) << tiny_backbone().check().message;
  EXPECT_TRUE(tiny_block().check().ok) << tiny_block().check().message;
}

TEST(Backbone, TheReferenceOfGatheredBlocksIsRight) {
  for (const char* kind : {"flash3d", "ptv3"}) {
    const solved_workload solved{*find_operation("block"),
                                 {{"kind", kind},
                                  {"rows", "512"},
                                  {"channels", "32"},
                                  {"window", "256"},
                                  {"bucket", "128"},
                                  {"stand", "gathered"}}};
    EXPECT_TRUE(solved.check().ok) << solved.check().message;
  }
}

TEST(Backbone, TheReferenceOfPtv3IsRight) {
  const solved_workload solved = solved_ptv3();
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  const nlohmann::ordered_json figures = solved.quality();
  EXPECT_GT(figures["convolution_tflop"].get<double>(), 0);
  EXPECT_LE(figures["out_error"].get<double>(), 2 * figures["out_error_of_bf16"].get<double>());
}

TEST(Backbone, TheReferenceOfPtv3InBucketsIsRight) {
  for (const char* model : {"small_in_buckets", "small_bucket_pools"})
    for (const char* points : {"1", "400"}) {
      axis_values at = tiny_in_buckets;
      at.set("model", model);
      at.set("points", points);
      at.set("align", "window");  // 512 rows of the first level, not 1536
      const solved_workload solved{*find_operation("backbone"), at};
      EXPECT_TRUE(solved.check().ok) << model << ": " << solved.check().message;
      EXPECT_LE(solved.quality()["out_error"].get<double>(),
                2 * solved.quality()["out_error_of_bf16"].get<double>());
    }
}

TEST(Backbone, TheReferenceOfPartialWindowsIsRight) {
  for (const char* align : {"window", "bucket"})
    for (const char* pad_keys : {"attended", "masked"}) {
      axis_values at = tiny;
      at.set("align", align);
      at.set("pad_keys", pad_keys);
      const solved_workload solved{*find_operation("backbone"), at};
      EXPECT_TRUE(solved.check().ok) << align << ", " << pad_keys << ": " << solved.check().message;
    }
}

/// Only cores by mma.sync leave out padding, and rows that are gathered have none.
TEST(Backbone, PartialWindowsAreForSomeVariants) {
  const operation& backbone = *find_operation("backbone");
  for (const variant_facts& v : backbone.variants) {
    const auto allows = [&](const std::string& name, const std::string& value) {
      return std::ranges::all_of(v.only_where, [&](const auto& condition) {
        return condition.first != name || std::ranges::count(condition.second, value) > 0;
      });
    };
    const bool by_mma = v.switches.word("attention") == "mma_online";
    EXPECT_EQ(allows("pad_keys", "masked"), by_mma) << v.name;
    EXPECT_EQ(allows("align", "bucket"), by_mma) << v.name;
    EXPECT_TRUE(allows("align", "window")) << v.name;
  }
}

/// Its padding counts as a step's outputs do, and convolutions have none.
TEST(Backbone, StepsInBucketsHaveTheirPaddingCompared) {
  solved_workload solved{*find_operation("backbone"), tiny_in_buckets};
  // After order, arrange, codes and the stem's map: take, stem.conv, stem.norm.
  const auto found = solved.output<dense_layers::comparison>("found");
  const auto elements = [&](int step) { return found[step * comparisons_of_step].elements; };
  EXPECT_EQ(elements(4), 400u * 4);
  EXPECT_EQ(elements(5), 400u * 32);
  EXPECT_EQ(elements(6), 1536u * 32);
  found[6 * comparisons_of_step].elements -= 32;
  EXPECT_THAT(solved.check().message, HasSubstr("stem.norm"));
}

/// Sums by atomics have another order each time: own kernels may differ by little, a library not at all.
TEST(Backbone, PassesThatDoNotRepeatChangeLittle) {
  solved_workload solved = solved_ptv3();
  const auto facts = solved.output<std::uint64_t>("facts");
  facts[differing_words] = 7;
  EXPECT_THAT(solved.check().message, HasSubstr("when the steps are launched once more"));
  facts[differing_words] = 0;
  facts[squared_output] = std::bit_cast<std::uint64_t>(100.0);
  facts[squared_change] = std::bit_cast<std::uint64_t>(0.2);
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  facts[squared_change] = std::bit_cast<std::uint64_t>(0.3);
  EXPECT_THAT(solved.check().message, HasSubstr("another by 5.477e-02 of its norm"));
}

TEST(Backbone, AnOutputThatIsFarOffIsFound) {
  for (solved_workload solved : {tiny_backbone(), tiny_block(), solved_ptv3()}) {
    for (std::uint16_t& bits : solved.output<std::uint16_t>("out")) bits ^= 0x0010;
    EXPECT_THAT(solved.check().message, HasSubstr("the output is off by"));
  }
}

/// Another number for a row of padding: an index that the oracle has not seen, and as right.
void renumber_padding(solved_workload& solved) { ++solved.output<std::uint32_t>("index")[tiny_rows - 1]; }

check_result check_again(const solved_workload& solved) { return solved.work.check_again(solved.outputs()); }

/// What a launch may do wrong by itself shows in its steps; the oracle is asked again by a whole check alone.
TEST(Backbone, LaterLaunchesAreHeldAgainstTheOracleWhereItHasSeenTheirIndex) {
  solved_workload solved = tiny_backbone();
  ASSERT_TRUE(solved.check().ok) << solved.check().message;
  const nlohmann::ordered_json error = solved.quality()["out_error"];
  for (std::uint16_t& bits : solved.output<std::uint16_t>("out")) bits ^= 0x0010;
  EXPECT_THAT(check_again(solved).message, HasSubstr("the output is off by"));

  solved = tiny_backbone();
  ASSERT_TRUE(solved.check().ok);
  renumber_padding(solved);
  EXPECT_TRUE(check_again(solved).ok) << check_again(solved).message;
  EXPECT_EQ(solved.quality()["out_error"], error) << "of the output that was held against the oracle";
  solved.output<dense_layers::comparison>("found")[5 * comparisons_of_step].elements -= 1;
  EXPECT_THAT(check_again(solved).message, HasSubstr("elements were compared"));
  solved.output<dense_layers::comparison>("found")[5 * comparisons_of_step].elements += 1;
  solved.output<std::uint64_t>("facts")[differing_words] = 1;
  EXPECT_THAT(check_again(solved).message, HasSubstr("when the steps are launched once more"));
}

/// What bf16 makes is known from the first index; an output on another one is held to it.
TEST(Backbone, AnOutputThatIsFarOffIsFoundOnEachIndex) {
  solved_workload solved = tiny_backbone();
  ASSERT_TRUE(solved.check().ok);
  renumber_padding(solved);
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  for (std::uint16_t& bits : solved.output<std::uint16_t>("out")) bits ^= 0x0010;
  EXPECT_THAT(solved.check().message, HasSubstr("the output is off by"));
}

TEST(Backbone, APointInAnotherRowIsFound) {
  solved_workload solved = tiny_backbone();
  solved.output<std::uint32_t>("index")[1] = 299;
  EXPECT_THAT(solved.check().message, HasSubstr("order: row"));
}

TEST(Backbone, AStepThatIsOffIsNamed) {
  solved_workload solved = tiny_block();
  solved.output<dense_layers::comparison>("found")[0].worst.error = 2;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.qkv"));
  solved = tiny_block();
  solved.output<window_attention::deviations>("attended")[1].out.worst.error = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.attention"));
}

/// The check of tiny_block's fc1, a norm, a product and SwiGLU, off by a share of its norm.
check_result check_with_fc1_off_by(double share) {
  solved_workload solved = tiny_block();
  constexpr std::size_t fc1 = 3;  // after qkv, attention and proj
  dense_layers::comparison& found =
      solved.output<dense_layers::comparison>("found")[fc1 * comparisons_of_step];
  found.squares = 1;
  found.squared_errors = share * share;
  return solved.check();
}

TEST(Backbone, AStepMayBeOffByAsMuchAsItsLayers) {
  EXPECT_TRUE(check_with_fc1_off_by(6.8e-3).ok) << check_with_fc1_off_by(6.8e-3).message;
  EXPECT_THAT(check_with_fc1_off_by(7.1e-3).message, HasSubstr("fc1"));
}

TEST(Backbone, AStepThatWasNotComparedIsFound) {
  solved_workload solved = tiny_backbone();
  solved.output<dense_layers::comparison>("found")[5 * comparisons_of_step].elements = 0;
  EXPECT_THAT(solved.check().message, HasSubstr("elements were compared"));
}

TEST(Backbone, AFormThatIsNoneIsFound) {
  solved_workload solved = tiny_block();
  solved.output<std::uint64_t>("facts")[form_of_layers] = layer_forms;
  EXPECT_THAT(solved.check().message, HasSubstr("the steps were not compared"));
}

/// The steps that are checked are those of the form that ran: in an own block the fourth is the whole MLP.
TEST(Backbone, StepsAreThoseOfTheFormThatRan) {
  solved_workload solved = tiny_block();
  solved.output<dense_layers::comparison>("found")[3 * comparisons_of_step].worst.error = 2;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.fc1"));
  for (const layer_form form :
       {layer_form::own, layer_form::per_layer_best, layer_form::per_layer_best_on_mma}) {
    solved.output<std::uint64_t>("facts")[form_of_layers] = static_cast<std::uint64_t>(form);
    EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.mlp"));
  }
}

TEST(Backbone, OutputsThatDifferBetweenRunsAreFound) {
  solved_workload solved = tiny_backbone();
  solved.output<std::uint64_t>("facts")[differing_words] = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("when the steps are launched once more"));
}

TEST(Backbone, TellsWhatAPassConsistsOf) {
  const nlohmann::ordered_json figures = tiny_backbone().quality();
  EXPECT_GT(figures["arena_bytes"].get<double>(), 0);
  EXPECT_LE(figures["arena_bytes"].get<double>(), 1.1 * figures["live_bytes"].get<double>());
  EXPECT_EQ(figures["peak_bytes"].get<double>(),
            figures["arena_bytes"].get<double>() + figures["index_bytes"].get<double>() +
                figures["weight_bytes"].get<double>() + figures["workspace_bytes"].get<double>());
  EXPECT_FALSE(figures.contains("floor_us")) << "floors are computed from the record's own ceilings";
  EXPECT_LE(figures["out_error"].get<double>(), 2 * figures["out_error_of_bf16"].get<double>());
}

TEST(Backbone, AModelOfItsStepsHasAllOfItsWork) {
  const work_model work = tiny_backbone().work.work;
  double flops = 0, exponentials = 0;
  for (const work_step& s : work.steps) {
    EXPECT_GT(s.bytes, s.written_bytes) << s.kind;
    flops += s.flops;
    exponentials += s.exponentials;
  }
  EXPECT_DOUBLE_EQ(flops, work.flops);
  EXPECT_GT(exponentials, 0);
  EXPECT_DOUBLE_EQ(exponentials, work.exponentials);
}

TEST(Backbone, RefusesWindowsThatAreNone) {
  const operation &backbone = *find_operation("backbone"), &block = *find_operation("block");
  EXPECT_EQ(refusal_of(backbone, tiny), "");
  EXPECT_EQ(refusal_of(backbone, tiny_ptv3), "");
  EXPECT_THAT(refusal_of(backbone, {{"model", "ptv3"}, {"points_as", "raw"}}), HasSubstr("distinct cells"));
  EXPECT_THAT(refusal_of(backbone, {{"model", "ptv3"}, {"order_by", "psh"}}), HasSubstr("its own orders"));
  EXPECT_EQ(refusal_of(backbone, {{"model", "ptv3"}, {"host", "once"}}), "");
  EXPECT_EQ(refusal_of(backbone, {{"model", "ptv3_in_buckets"}, {"host", "once"}, {"order_by", "psh"}}), "");
  EXPECT_THAT(refusal_of(backbone, {{"model", "ptv3_bucket_pools"}, {"host", "once"}}),
              HasSubstr("follow from the points"));
  EXPECT_THAT(refusal_of(backbone, {{"model", "ptv3_bucket_pools"}, {"points_as", "raw"}}),
              HasSubstr("distinct cells"));
  EXPECT_THAT(refusal_of(backbone, {{"model", "ptv3"}, {"pad_keys", "masked"}}), HasSubstr("are gathered"));
  EXPECT_THAT(refusal_of(backbone, {{"model", "ptv3_one_order"}, {"align", "window"}}),
              HasSubstr("are gathered"));
  EXPECT_EQ(refusal_of(backbone, {{"model", "ptv3_in_buckets"}, {"align", "bucket"}, {"pad_keys", "masked"}}),
            "");
  EXPECT_THAT(refusal_of(backbone, {{"host", "once"}}), HasSubstr("follow from the points"));
  EXPECT_THAT(refusal_of(backbone, {{"bucket", "192"}}), HasSubstr("multiple of 128"));
  EXPECT_THAT(refusal_of(backbone, {{"bucket", "384"}}), HasSubstr("window=4096"));
  EXPECT_THAT(refusal_of(block, {{"rows", "4096"}, {"stride", "2"}}), HasSubstr("whole windows"));
  EXPECT_THAT(refusal_of(block, {{"rows", "8192"}, {"stride", "2"}, {"stand", "gathered"}}),
              HasSubstr("follow each other"));
}

}  // namespace
}  // namespace ablate::backbone
