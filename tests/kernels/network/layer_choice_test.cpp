// Which form a layer takes at its shape, where records show that one is faster.
#include "kernels/network/layer_choice.h"

#include <gtest/gtest.h>

namespace ablate::backbone {
namespace {

using linear::epilogue;

constexpr layer_plan by_library = {multiplier::library, norm_place::product},
                     normed_by_library = {multiplier::library, norm_place::launch},
                     by_own = {multiplier::own, norm_place::product},
                     normed_apart = {multiplier::own, norm_place::launch};

layer_plan on_hopper(const layer_shape& s) { return plan_of(layer_form::per_layer_best, s); }
layer_plan on_mma(const layer_shape& s) { return plan_of(layer_form::per_layer_best_on_mma, s); }

layer_shape qkv(std::int64_t rows, int channels) {
  return {rows, channels, 3 * channels, epilogue::bias, true};
}
layer_shape gated(std::int64_t rows, int channels) {
  return {rows, channels, 8 * channels, epilogue::swiglu, true};
}
layer_shape contract(std::int64_t rows, int channels) {
  return {rows, 4 * channels, channels, epilogue::residual};
}

TEST(BackboneLayerChoice, OneFormForAllTakesNoNoticeOfShapes) {
  for (const layer_shape& s : {qkv(4096, 512), gated(24'576, 64), qkv(98'304, 32)}) {
    EXPECT_EQ(plan_of(layer_form::library, s), normed_by_library);
    EXPECT_EQ(plan_of(layer_form::own, s), by_own);
  }
  EXPECT_EQ(plan_of(layer_form::library, contract(4096, 64)), by_library);
  EXPECT_EQ(plan_of(layer_form::own, contract(4096, 512)), by_own);
}

/// What runs beside is no other product.
TEST(BackboneLayerChoice, GradientsBesideOthersChooseAsThoseInTurn) {
  for (const layer_form beside : {layer_form::second_stream, layer_form::second_stream_to_end}) {
    EXPECT_TRUE(is_beside(beside));
    for (const layer_shape& s : {qkv(4096, 512), qkv(24'576, 64), gated(24'576, 64), contract(4096, 512)})
      EXPECT_EQ(plan_of(beside, s), plan_of(layer_form::per_layer_best, s));
    for (const int inputs : {32, 64, 128, 512})
      EXPECT_EQ(weight_gradient_by(beside, inputs), weight_gradient_by(layer_form::per_layer_best, inputs));
  }
}

// Of the model of 131 M parameters.
TEST(BackboneLayerChoice, RowsThatDoNotFitSharedMemoryAreNormalizedInALaunch) {
  EXPECT_EQ(plan_of(layer_form::own, qkv(4096, 1024)), normed_apart);
  EXPECT_EQ(plan_of(layer_form::own, gated(4096, 1024)), normed_apart);
  EXPECT_EQ(plan_of(layer_form::own, contract(4096, 1024)), by_own);
  EXPECT_EQ(on_hopper(gated(4096, 1024)), normed_by_library);
  EXPECT_EQ(on_mma(qkv(4096, 1024)), normed_by_library);
}

TEST(BackboneLayerChoice, LongRowsAreTheLibrarysUnlessItLacksTheEpilogue) {
  EXPECT_EQ(on_hopper(qkv(4096, 512)), normed_by_library);
  EXPECT_EQ(on_hopper(gated(4096, 512)), normed_apart);
  EXPECT_EQ(on_hopper({4096, 512, 512, epilogue::residual}), by_own);
  EXPECT_EQ(on_hopper({4096, 512, 256, epilogue::bias}), by_library);
  EXPECT_EQ(on_hopper({4096, 512, 2048, epilogue::gelu_erf}), by_own);
}

TEST(BackboneLayerChoice, MoreThan512InputsAreTheLibrarys) {
  EXPECT_EQ(on_hopper(contract(4096, 128)), by_own);
  EXPECT_EQ(on_hopper(contract(4096, 256)), by_library);
  EXPECT_EQ(on_hopper(contract(24'576, 512)), by_library);
}

TEST(BackboneLayerChoice, RowsThatManyTilesWouldNormalizeAreNormalizedOnce) {
  EXPECT_EQ(on_hopper(qkv(4096, 256)), by_own);
  EXPECT_EQ(on_hopper(qkv(24'576, 256)), normed_apart);
  EXPECT_EQ(on_hopper(gated(4096, 256)), normed_apart);
  EXPECT_EQ(on_hopper(qkv(24'576, 128)), by_own);
  EXPECT_EQ(on_hopper(qkv(98'304, 128)), normed_apart);
  EXPECT_EQ(on_hopper(qkv(98'304, 64)), normed_apart);
}

TEST(BackboneLayerChoice, RowsTooNarrowForWarpgroupsAreAsOnOtherChips) {
  EXPECT_EQ(on_hopper(qkv(24'576, 32)), normed_by_library);
  EXPECT_EQ(on_hopper({24'576, 32, 32, epilogue::residual}), by_library);
  EXPECT_EQ(on_hopper({24'576, 32, 64, epilogue::gelu_erf}), by_own);
  EXPECT_EQ(on_hopper({24'576, 64, 32, epilogue::gelu_erf}), by_own);
}

TEST(BackboneLayerChoice, ByMmaOnlyWhereTheLibraryLacksTheEpilogueOfShortRows) {
  for (const int channels : {32, 64, 128, 256, 512}) {
    EXPECT_EQ(on_mma(qkv(24'576, channels)), normed_by_library);
    EXPECT_EQ(on_mma(contract(24'576, channels)), by_library);
    EXPECT_EQ(on_mma(gated(24'576, channels)), channels <= 128 ? normed_apart : normed_by_library);
    EXPECT_EQ(on_mma({4096, channels, 64, epilogue::gelu_erf}), channels <= 128 ? by_own : by_library);
  }
}

TEST(BackboneLayerChoice, AnMlpIsOneLaunchWhereThatIsFaster) {
  for (const int channels : {32, 64, 128}) {
    EXPECT_FALSE(is_mlp_in_one_launch(layer_form::library, 4096, channels));
    EXPECT_TRUE(is_mlp_in_one_launch(layer_form::own, 4096, channels));
    EXPECT_TRUE(is_mlp_in_one_launch(layer_form::per_layer_best, 4096, channels));
  }
  EXPECT_FALSE(is_mlp_in_one_launch(layer_form::own, 4096, 256));
  EXPECT_FALSE(is_mlp_in_one_launch(layer_form::per_layer_best, 4096, 256));
  const auto on_mma = [](std::int64_t rows, int channels) {
    return is_mlp_in_one_launch(layer_form::per_layer_best_on_mma, rows, channels);
  };
  EXPECT_TRUE(on_mma(4096, 32));
  EXPECT_FALSE(on_mma(4096, 64));
  EXPECT_TRUE(on_mma(24'576, 64));
  EXPECT_FALSE(on_mma(98'304, 128));
}

}  // namespace
}  // namespace ablate::backbone
