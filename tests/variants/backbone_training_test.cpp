// Training on the host: the check finds what is wrong with a gradient step, or with gradients end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/backbone/networks.h"
#include "oracles/mlp/checked_problem.h"
#include "oracles/window_attention_backward/checked_problem.h"
#include "tests/kernels/backbone/flash_pass.h"
#include "tests/support/axis_values.h"
#include "tests/support/solved_workload.h"
#include "variants/backbone/check.h"
#include "variants/backbone/gradient_check.h"

namespace ablate::backbone {
namespace {

using test_support::refusal_of;
using test_support::solved_workload;
using test_support::with;
using ::testing::HasSubstr;

solved_workload trained_block(const char* kind = "flash3d") {
  return {*find_operation("block"),
          {{"kind", kind},
           {"rows", "256"},
           {"channels", "32"},
           {"window", "256"},
           {"bucket", "128"},
           {"pass", "training"}}};
}

solved_workload trained_backbone() {
  return {*find_operation("backbone"),
          {{"model", "small"},
           {"points", "100"},
           {"points_as", "raw"},
           {"window", "256"},
           {"bucket", "128"},
           {"align", "window"},
           {"pass", "training"}}};
}

TEST(Training, TheReferenceOfABackboneIsRight) {
  solved_workload solved = trained_backbone();
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  EXPECT_LE(solved.quality()["gradient_error"].get<double>(),
            solved.quality()["gradient_error_of_bf16"].get<double>());
  const auto gradients = solved.output<float>("gradients");
  const float kept = gradients[128];  // the first layer's bias, after 32 · 3 of its matrix
  gradients[128] = kept + 1000;
  EXPECT_THAT(solved.check().message, HasSubstr("the gradient of embed.bias is off"));
}

TEST(Training, TheReferenceIsRight) {
  for (const char* kind : {"flash3d", "ptv3"}) {
    const solved_workload solved = trained_block(kind);
    EXPECT_TRUE(solved.check().ok) << solved.check().message;
  }
}

/// After qkv, attention, proj, fc1, fc1's activation and fc2: the gradients of the MLP, of proj and of
/// attention.
constexpr std::size_t mlp_step = 6, projection_step = 7, attention_step = 8, qkv_step = 11;

TEST(Training, AGradientStepThatIsOffIsNamed) {
  solved_workload solved = trained_block();
  const auto spoil = [&](std::size_t step, auto of) -> dense_layers::comparison& {
    solved = trained_block();
    return solved.output<dense_layers::comparison>(
        "found")[step * comparisons_of_step + static_cast<std::size_t>(of)];
  };
  spoil(mlp_step, mlp::output::first_gradient).worst.error = 2;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.mlp.gradient, first layer"));
  spoil(mlp_step, mlp::output::norm_gradient).elements -= 1;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.mlp.gradient, gamma and beta: 63 of 64"));
  spoil(projection_step, linear::output::weight_gradient).worst.error = 2;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.proj.gradient, weight and bias"));
  spoil(qkv_step, linear::output::input_gradient).elements = 0;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.qkv.gradient, rows: 0 of 8192"));
  solved = trained_block();
  solved.output<window_attention_backward::deviations>("differentiated")[attention_step].of[1].worst.error =
      1;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.attention.gradient, dK"));
}

TEST(Training, AGradientThatIsOffEndToEndIsNamed) {
  solved_workload solved = trained_block();
  const auto gradients = solved.output<float>("gradients");
  const float kept = gradients[5];  // of norm1's gamma, the first layer
  gradients[5] += 100;
  EXPECT_THAT(solved.check().message, HasSubstr("the gradient of encoder.0.0.norm1.weight and .bias is off"));
  gradients[5] = kept;
  EXPECT_TRUE(solved.check().ok);
  gradients[64 + 32] = std::bit_cast<float>(0x7fc00000u);  // of qkv
  EXPECT_THAT(solved.check().message, HasSubstr("the gradient of encoder.0.0.qkv.weight is off"));
  solved = trained_block();
  solved.output<std::uint16_t>("x_gradient")[77] = 0x4480;  // 1024
  EXPECT_THAT(solved.check().message, HasSubstr("the gradient of the rows is off"));
}

/// The share of what is accepted of a layer's gradient, three times what bf16 makes, that is reached most.
double share_of_accepted(const rounding_errors& seen, const rounding_errors& of_bf16) {
  double most = 0;
  for (std::size_t i = 0; i < seen.layers.size(); ++i)
    most = std::max(most, seen.layers[i] / (3 * std::max(of_bf16.gradients, of_bf16.layers[i])));
  return most;
}

/// Of right passes that differ in the order of their sums alone, one is off by more than three times what
/// another is; none by more than three times the greatest of a few.
TEST(Training, APassThatRoundsOtherwiseIsWithinTheGreatestOfItsRoundings) {
  window_shape shape{128, 256};
  shape.align = alignment::window;
  flash_pass pass(network_of(model_of("small"), {24}, shape, layer_form::library, pass_kind::training));
  const problem p = pass.on_host();
  const network& n = *pass.steps;
  make_index(p, n);
  const known_inputs known;
  const pass_values& exact = known.passed(p);
  const auto drawn = [&](std::uint64_t draw) {
    const pass_values rounded = reference_pass(p, n, rounding::bf16, draw);
    return rounding_errors{0, 0, distance(rounded.gradients, exact.gradients),
                           errors_of_layers(n, rounded.gradients, exact.gradients)};
  };
  EXPECT_GT(share_of_accepted(drawn(5), drawn(1)), 2);
  const rounding_errors most = known.moved_at_most(p);
  EXPECT_GE(most.gradients, known.of_bf16->gradients);
  for (const std::uint64_t other : {5u, 8u, 9u}) EXPECT_LT(share_of_accepted(drawn(other), most), 1) << other;
}

/// By atomics little may change; in two passes nothing.
TEST(Training, GradientsThatDifferBetweenRunsAreFound) {
  solved_workload solved = trained_block();
  const auto facts = solved.output<std::uint64_t>("facts");
  facts[differing_gradients] = 1;
  EXPECT_THAT(solved.check().message, HasSubstr("1 gradients differ"));
  facts[adds_by_atomics] = 1;
  facts[squared_gradients] = std::bit_cast<std::uint64_t>(100.0);
  facts[squared_gradient_change] = std::bit_cast<std::uint64_t>(0.2);
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  facts[squared_gradient_change] = std::bit_cast<std::uint64_t>(0.3);
  EXPECT_THAT(solved.check().message, HasSubstr("gradients are others by 5.477e-02"));
}

TEST(Training, TellsWhatItKeeps) {
  const nlohmann::ordered_json trained = trained_block().quality();
  const solved_workload inferred{*find_operation("block"),
                                 {{"rows", "256"}, {"channels", "32"}, {"window", "256"}, {"bucket", "128"}}};
  EXPECT_GT(trained["arena_bytes"].get<double>(), inferred.quality()["arena_bytes"].get<double>());
  EXPECT_LE(trained["arena_bytes"].get<double>(), 1.1 * trained["live_bytes"].get<double>());
  EXPECT_EQ(trained["peak_bytes"].get<double>(), trained["arena_bytes"].get<double>() +
                                                     trained["weight_bytes"].get<double>() +
                                                     trained["gradient_bytes"].get<double>());
  EXPECT_GE(trained["gradient_bytes"].get<double>(), 4.0 * (16 * 32 * 32 + 17 * 32));
  EXPECT_LE(trained["gradient_error"].get<double>(), trained["gradient_error_of_bf16"].get<double>());
}

TEST(Training, RefusesPassesWithoutGradients) {
  const operation& backbone = *find_operation("backbone");
  const auto reason = [&](const axis_values& given) {
    return refusal_of(backbone, with({{"pass", "training"}}, given));
  };
  EXPECT_EQ(reason({{"model", "flash46"}}), "");
  EXPECT_EQ(reason({{"model", "ptv3"}}), "");
  EXPECT_EQ(reason({{"drop", "0.3"}}), "");
  EXPECT_THAT(reason({{"drop", "0.3"}, {"pass", "inference"}}), HasSubstr("in training"));
  EXPECT_THAT(reason({{"align", "bucket"}}), HasSubstr("whole windows"));
  EXPECT_THAT(reason({{"pad_keys", "masked"}}), HasSubstr("whole windows"));
}

TEST(Training, TheReferenceOfPtv3IsRight) {
  for (const char* drop : {"0", "0.3"}) {
    const solved_workload solved{*find_operation("backbone"),
                                 {{"model", "small_ptv3"},
                                  {"points", "301"},
                                  {"distribution", "uniform"},
                                  {"window", "256"},
                                  {"bucket", "128"},
                                  {"pass", "training"},
                                  {"drop", drop}}};
    EXPECT_TRUE(solved.check().ok) << solved.check().message;
    EXPECT_LE(solved.quality()["gradient_error"].get<double>(),
              solved.quality()["gradient_error_of_bf16"].get<double>());
  }
}

solved_workload dropped_block() {
  return {*find_operation("block"),
          {{"kind", "ptv3"},
           {"rows", "256"},
           {"channels", "32"},
           {"window", "256"},
           {"bucket", "128"},
           {"stand", "gathered"},
           {"pass", "training"},
           {"drop", "0.3"}}};
}

/// Rows that are gathered, and left out; a step that keeps another row is named.
TEST(Training, ABlockThatDropsPathsIsRight) {
  solved_workload solved = dropped_block();
  EXPECT_TRUE(solved.check().ok) << solved.check().message;
  // After qkv, into_windows, attention, from_windows and proj.
  constexpr std::size_t kept_step = 5;
  solved.output<dense_layers::comparison>("found")[kept_step * comparisons_of_step].worst.error = 2;
  EXPECT_THAT(solved.check().message, HasSubstr("encoder.0.0.proj.kept"));
}

}  // namespace
}  // namespace ablate::backbone
