// Whose gradients the steps of training are: right ones of all models and forms, and faults of what a step is
// given that leave every step right by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backbone/networks.h"
#include "oracles/backbone/gradient_paths.h"
#include "tests/kernels/backbone/flash_pass.h"
#include "tests/kernels/backbone/ptv3_pass.h"

namespace ablate::backbone::gradient_paths_test {
namespace {

using ::testing::HasSubstr;

constexpr layer_form all_forms[] = {layer_form::library,
                                    layer_form::own,
                                    layer_form::per_layer_best,
                                    layer_form::per_layer_best_on_mma,
                                    layer_form::separate,
                                    layer_form::second_stream,
                                    layer_form::second_stream_to_end};

network flash(layer_form form = layer_form::library, const drop_path& drops = {}) {
  return network_of(model_of("small"), {90, 200}, small_windows, form, pass_kind::training, drops);
}
network ptv3(const std::string& model = "small_ptv3", layer_form form = layer_form::library,
             const drop_path& drops = {}) {
  return small_network({drawn_cells(200, "a"), drawn_cells(150, "b")}, form, model, {}, pass_kind::training,
                       drops);
}

TEST(GradientPaths, AreThoseOfTheForwardStepsInAllModelsAndForms) {
  for (const layer_form form : all_forms)
    for (const float rate : {0.0f, 0.3f}) {
      EXPECT_EQ(violated_gradients(flash(form, {rate, 5})), "");
      for (const char* model : {"small_ptv3", "small_in_buckets", "small_bucket_pools"})
        EXPECT_EQ(violated_gradients(ptv3(model, form, {rate, 5})), "") << model;
      for (const family kind : {family::flash3d, family::ptv3})
        EXPECT_EQ(violated_gradients(network_of_block(lone_block(kind, 64, 16, {}), 512, small_windows, form,
                                                      {}, pass_kind::training, {rate, 5})),
                  "");
    }
}

TEST(GradientPaths, AreThoseOfModelsAsPublished) {
  for (const char* model : {"flash19", "flash46", "flash129", "flash129_deep", "flash19_gelu"})
    EXPECT_EQ(violated_gradients(network_of(model_of(model), {30'000}, {}, layer_form::per_layer_best,
                                            pass_kind::training, {0.3f, 5})),
              "")
        << model;
  for (const char* model :
       {"ptv3", "ptv3_without_positions", "ptv3_one_order", "ptv3_in_buckets", "ptv3_bucket_pools"})
    EXPECT_EQ(violated_gradients(ptv3(model, layer_form::per_layer_best, {0.3f, 5})), "") << model;
}

TEST(GradientPaths, AreThoseOfAnIndexThatComesFirstAndOfRowsThatAreGathered) {
  const std::vector<cell> cells = drawn_cells(300, "a");
  window_shape shape = small_windows;
  shape.window = small_window;
  const grid_levels levels = grid_levels_of(flat_cells({cells}), {300}, level_count);
  EXPECT_EQ(violated_gradients(network_of_ptv3(model_of("small_ptv3"), levels, shape, layer_form::library,
                                               index_order::first, pass_kind::training)),
            "");
  std::vector<std::uint32_t> order;
  for (std::uint32_t slot = 0; slot < 512; ++slot) order.push_back(slot * 5 % 512);
  for (const family kind : {family::flash3d, family::ptv3})
    EXPECT_EQ(violated_gradients(network_of_block(lone_block(kind, 64, 16, {}), 512, small_windows,
                                                  layer_form::own, order, pass_kind::training)),
              "");
}

/// What is found when `spoil` has been at a step of this kind whose name ends like that.
template <class Spoil>
std::string found_in(network n, step_kind kind, const std::string& end, const Spoil& spoil) {
  const auto is_it = [&](const step& s) { return s.kind == kind && s.name.ends_with(end); };
  const auto at = std::ranges::find_if(n.steps, is_it);
  if (at == n.steps.end()) return "no such step";
  spoil(n, *at);
  return violated_gradients(n);
}

/// A projection that the decoder adds to again has the gradient of its pool alone.
TEST(GradientPaths, OneOfTwoBranchesIsFound) {
  EXPECT_THAT(found_in(flash(), step_kind::add, ".gradient.added",
                       [](network& n, step& sum) {
                         for (step& s : n.steps)
                           if (s.in == sum.out) s.in = sum.in;
                       }),
              HasSubstr("not the sum of all that its rows went into"));
  EXPECT_THAT(
      found_in(ptv3(), step_kind::add, ".gradient.added", [](network&, step& sum) { sum.skip = sum.in; }),
      HasSubstr("not the sum of all that its rows went into"));
}

TEST(GradientPaths, ABranchWithoutItsResidualIsFound) {
  const auto alone = [](network&, step& s) { s.beside = -1; };
  EXPECT_THAT(found_in(flash(), step_kind::norm_gradient, "", alone),
              HasSubstr("no forward step has this gradient"));
  // In the last block of the encoder paths are dropped: what arrives beside the branch is not the branch's.
  EXPECT_THAT(found_in(ptv3("small_ptv3", layer_form::library, {0.3f, 5}), step_kind::mlp_gradient,
                       "encoder.4.0.mlp.gradient", alone),
              HasSubstr("no forward step has this gradient"));
}

TEST(GradientPaths, OtherDroppedRowsAreFound) {
  EXPECT_THAT(found_in(flash(layer_form::library, {0.3f, 5}), step_kind::drop_gradient, "",
                       [](network&, step& s) { ++s.drop_seed; }),
              HasSubstr(".kept.gradient: no forward step has this gradient"));
}

TEST(GradientPaths, AnotherLayersRowsOrWindowsAreFound) {
  const auto expect_found = [](const network& n, step_kind kind, const auto& spoil) {
    EXPECT_THAT(found_in(n, kind, "", spoil), HasSubstr("no forward step has this gradient"));
  };
  const network of_ptv3 = ptv3(), of_flash = flash();
  expect_found(of_flash, step_kind::linear_gradient, [](network&, step& s) { s.kept = s.in; });
  expect_found(of_flash, step_kind::normalize,
               [](network& n, step& s) { s.norm = n.layers.encoder[0][0].mlp_norm; });
  expect_found(of_ptv3, step_kind::convolution_gradient, [](network&, step& s) { ++s.layer; });
  expect_found(of_ptv3, step_kind::from_windows_gradient, [](network&, step& s) { ++s.curve; });
  expect_found(of_ptv3, step_kind::pool_gradient, [](network&, step& s) { s.kept = s.in; });
  expect_found(of_ptv3, step_kind::attention_gradient, [](network&, step& s) { ++s.windows_at; });
  expect_found(of_ptv3, step_kind::mlp_gradient, [](network&, step& s) { s.written = s.kept; });
}

TEST(GradientPaths, AGradientThatIsMissingOrThereTwiceIsFound) {
  network without = flash();
  const auto is_stem = [](const step& s) { return s.kind == step_kind::embed_gradient; };
  std::erase_if(without.steps, is_stem);
  EXPECT_THAT(violated_gradients(without), HasSubstr("embed: no step has its gradient"));
  network twice = flash();
  twice.steps.push_back(*std::ranges::find_if(twice.steps, is_stem));
  EXPECT_THAT(violated_gradients(twice), HasSubstr("embed.gradient: no forward step has this gradient"));
}

TEST(GradientPaths, RowsOfABlockWithoutTheirResidualAreFound) {
  network n = network_of_block(lone_block(family::flash3d, 64, 16, {}), 512, small_windows,
                               layer_form::library, {}, pass_kind::training);
  n.steps.back().beside = -1;
  EXPECT_THAT(violated_gradients(n), HasSubstr("the gradient of the rows"));
}

}  // namespace
}  // namespace ablate::backbone::gradient_paths_test
