// The oracle's gradients against differences of its own forward pass; and training as steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backbone/networks.h"
#include "kernels/backbone/work.h"
#include "kernels/common/dense/cublaslt.h"
#include "kernels/training/gradient_steps.h"
#include "tests/kernels/backbone/beside.h"
#include "tests/kernels/backbone/flash_pass.h"
#include "tests/kernels/backbone/slopes.h"

namespace ablate::backbone {
namespace {

using ::testing::ElementsAre;

network training_block(family kind, int channels, layer_form form = layer_form::library,
                       const scope& where = {}, std::int64_t rows = 256) {
  return network_of_block(lone_block(kind, channels, 16, where), rows, small_windows, form, {},
                          pass_kind::training);
}

TEST(BackboneGradients, OfABlockAreItsSlopes) {
  for (const family kind : {family::flash3d, family::ptv3}) {
    flash_pass pass(training_block(kind, 32));
    expect_gradients_of_block(pass);
  }
}

flash_pass small_training(layer_form form = layer_form::library) {
  window_shape shape = small_windows;
  shape.align = alignment::window;
  return flash_pass(network_of(model_of("small"), {90, 200}, shape, form, pass_kind::training));
}

TEST(BackboneGradients, OfABackboneAreItsSlopes) {
  flash_pass pass = small_training();
  make_index(pass.on_host(), *pass.steps);
  const pass_values right = reference_pass(pass.on_host(), *pass.steps, rounding::none);
  const layer_table& of = pass.steps->layers;
  expect_slopes_of_layers(pass, right, {of.embed});
  expect_slopes_of_layers(pass, right, {of.down[0].linear, of.down[0].norm, of.down[3].norm});
  expect_slopes_of_layers(pass, right,
                          {of.up[0].down, of.up[0].down_norm, of.up[2].skip_norm, of.up[2].skip});
  expect_slopes_of_layers(pass, right, {of.leaf, of.encoder[4][0].qkv, of.decoder[1][0].first});
}

/// The forward pass's parts are those of inference.
TEST(BackboneGradients, TrainingHasTheOutputOfInference) {
  for (const layer_form form : {layer_form::library, layer_form::own, layer_form::per_layer_best}) {
    flash_pass trained(training_block(family::flash3d, 32, form, {1, 1}, 512)),
        inferred(network_of_block(lone_block(family::flash3d, 32, 16, {1, 1}), 512, small_windows, form));
    EXPECT_LT(distance(trained.output(), inferred.output()), 1e-12);
  }
}

TEST(BackboneGradients, AllFormsHaveTheSame) {
  flash_pass library(training_block(family::flash3d, 32)),
      own(training_block(family::flash3d, 32, layer_form::own)),
      separate(training_block(family::flash3d, 32, layer_form::separate)),
      beside(training_block(family::flash3d, 32, layer_form::second_stream)),
      to_end(training_block(family::flash3d, 32, layer_form::second_stream_to_end));
  const auto gradients = [](flash_pass& pass) {
    return reference_pass(pass.on_host(), *pass.steps, rounding::none).gradients;
  };
  EXPECT_LT(distance(gradients(own), gradients(library)), 1e-12);
  EXPECT_LT(distance(gradients(separate), gradients(library)), 1e-12);
  EXPECT_LT(distance(gradients(beside), gradients(library)), 1e-12);
  EXPECT_LT(distance(gradients(to_end), gradients(library)), 1e-12);
}

TEST(BackboneGradients, RoundingMovesThemLittle) {
  flash_pass pass(training_block(family::flash3d, 32));
  const pass_values exact = reference_pass(pass.on_host(), *pass.steps, rounding::none),
                    rounded = reference_pass(pass.on_host(), *pass.steps, rounding::bf16);
  EXPECT_GT(distance(rounded.gradients, exact.gradients), 1e-4);
  EXPECT_LT(distance(rounded.gradients, exact.gradients), 2e-2);
  EXPECT_LT(distance(rounded.x_gradient, exact.x_gradient), 2e-2);
}

/// A projection is skipped to and pooled: it has two gradients.
TEST(BackboneTraining, ABackboneHasAGradientOfEachLayer) {
  const network n = network_of(model_of("flash19"), {23'091}, {}, layer_form::library, pass_kind::training);
  std::vector<int> gradients(n.layers.all.size());
  const auto count = [&](int number) {
    if (number >= 0) ++gradients[static_cast<std::size_t>(number)];
  };
  int added = 0;
  bool is_backward = false;
  for (const step& s : n.steps) {
    is_backward = is_backward || is_gradient(s.kind);
    added += s.kind == step_kind::add ? 1 : 0;
    if (!is_gradient(s.kind) || s.kind == step_kind::normalize) continue;
    count(s.layer);
    count(s.second);
    count(s.norm);
  }
  EXPECT_TRUE(is_backward);
  EXPECT_TRUE(std::ranges::all_of(gradients, [](int times) { return times == 1; }));
  EXPECT_EQ(added, level_count - 1);
  EXPECT_EQ(published_waits(n), 36);
}

TEST(BackboneTraining, ABlockIsItsLayersAndTheirGradients) {
  const auto names = [](layer_form form) {
    std::vector<std::string> all;
    for (const step& s : training_block(family::flash3d, 64, form).steps)
      all.push_back(s.name.substr(std::string("encoder.0.0.").size()));
    return all;
  };
  EXPECT_THAT(names(layer_form::own),
              ElementsAre("qkv", "attention", "proj", "fc1", "fc1.activated", "fc2", "mlp.gradient",
                          "proj.gradient", "attention.gradient", "attention.gradient.packed", "norm1.again",
                          "qkv.gradient", "norm1.gradient"));
  EXPECT_EQ(names(layer_form::library), names(layer_form::own));
}

/// Gradients of parameters may still run during later steps, until the pass waits for them.
TEST(BackboneTraining, NoStepSpoilsWhatRunsBesideIt) {
  const auto trained = [](const char* model, layer_form form) {
    return network_of(model_of(model), {23'091}, {}, form, pass_kind::training);
  };
  for (const char* model : {"small", "flash19", "flash46", "flash129"}) {
    const network n = trained(model, layer_form::second_stream);
    EXPECT_TRUE(n.works_beside());
    EXPECT_THAT(spoiled_beside(n), ElementsAre()) << model;
    // Otherwise they would be.
    const network in_turn = trained(model, layer_form::per_layer_best);
    EXPECT_FALSE(in_turn.works_beside());
    EXPECT_GT(spoiled_beside(in_turn).size(), 10u) << model;
    EXPECT_LT(n.arena_bytes, 1.2 * static_cast<double>(in_turn.arena_bytes) + cublaslt::workspace_bytes)
        << model;
  }
  for (const family kind : {family::flash3d, family::ptv3})
    for (const layer_form form : {layer_form::second_stream, layer_form::second_stream_to_end})
      EXPECT_THAT(spoiled_beside(training_block(kind, 64, form, {}, 4096)), ElementsAre());
}

/// Where nothing waits for them before the end, no later step overwrites what they need.
TEST(BackboneTraining, NoStepSpoilsWhatRunsBesideItToTheEnd) {
  for (const char* model : {"small", "flash46"}) {
    const auto trained = [&](layer_form form) {
      return network_of(model_of(model), {23'091}, {}, form, pass_kind::training);
    };
    network n = trained(layer_form::second_stream_to_end);
    EXPECT_TRUE(n.works_beside());
    EXPECT_TRUE(std::ranges::none_of(n.steps, [&](const step& s) { return n.waits_for_work_beside(s); }));
    EXPECT_THAT(spoiled_beside(n), ElementsAre()) << model;
    const network awaited = trained(layer_form::second_stream);
    EXPECT_GT(n.arena_bytes, awaited.arena_bytes) << model;
    EXPECT_LT(n.arena_bytes, 3 * awaited.arena_bytes) << model;
    // A place of the form that waits would be spoiled.
    ASSERT_EQ(n.tensors.size(), awaited.tensors.size());
    n.tensors = awaited.tensors;
    EXPECT_GT(spoiled_beside(n).size(), 10u) << model;
  }
}

/// 28 bytes a channel and row, beside a fourth of a byte more for the log-sum-exp: rows before and between
/// attention and MLP, Q, K and V, attention's rows, the MLP's first layer.
TEST(BackboneTraining, KeepsWhatGradientsNeed) {
  const network n = training_block(family::flash3d, 64, layer_form::own, {}, 4096);
  const auto first_gradient =
      static_cast<int>(std::ranges::find(n.steps, step_kind::mlp_gradient, &step::kind) - n.steps.begin());
  std::int64_t kept = 0;
  for (const tensor& t : n.tensors)
    if (t.first < first_gradient && t.last >= first_gradient) kept += t.bytes;
  EXPECT_EQ(kept, 28 * 64 * 4096 + 64 / 16 * 4 * 4096);
}

/// Attention has two and a half times the forward pass's operations more, layers twice.
TEST(BackboneTraining, HasThreeTimesTheWork) {
  const network forward =
      network_of_block(lone_block(family::flash3d, 64, 16, {}), 4096, {}, layer_form::own);
  const network both = network_of_block(lone_block(family::flash3d, 64, 16, {}), 4096, {}, layer_form::own,
                                        {}, pass_kind::training);
  EXPECT_DOUBLE_EQ(operations_of(both).attention, 3.5 * operations_of(forward).attention);
  EXPECT_DOUBLE_EQ(operations_of(both).linear, 3 * operations_of(forward).linear);
  const auto moved = [](const network& n) {
    double bytes = 0, exponentials = 0;
    for (const steps_of_kind& s : steps_by_kind(n)) {
      bytes += s.read_bytes + s.written_bytes;
      exponentials += s.exponentials;
    }
    return std::pair(bytes, exponentials);
  };
  EXPECT_GT(moved(both).first, 2 * moved(forward).first);
  EXPECT_LT(moved(both).first, 4.5 * moved(forward).first);
  EXPECT_DOUBLE_EQ(moved(both).second, 2 * moved(forward).second) << "once more for the gradients";
}

TEST(BackboneTraining, GradientsOfParametersStandApart) {
  const network n = training_block(family::flash3d, 64);
  std::int64_t behind = 0;
  for (std::size_t i = 0; i < n.layers.all.size(); ++i) {
    const layer& one = n.layers.all[i];
    const gradient_place& at = n.gradients.of[i];
    if (one.kind == layer_kind::linear) {
      EXPECT_GE(at.matrix, behind);
      behind = at.matrix + std::int64_t{one.inputs} * one.outputs;
    }
    EXPECT_GE(at.vectors, behind);
    EXPECT_EQ(at.vectors % 64, 0);
    behind = at.vectors + (one.kind == layer_kind::linear ? 1 : 2) * one.outputs;
  }
  EXPECT_LE(behind, n.gradients.elements);
}

}  // namespace
}  // namespace ablate::backbone
