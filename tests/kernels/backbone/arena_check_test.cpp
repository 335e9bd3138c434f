// Whether a tensor is written over while a step still reads it: never, in any model and form; and faults of
// the layout that leave every step right by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/backbone/networks.h"
#include "oracles/backbone/arena_check.h"
#include "tests/kernels/backbone/flash_pass.h"
#include "tests/kernels/backbone/ptv3_pass.h"

namespace ablate::backbone::arena_check_test {
namespace {

using ::testing::HasSubstr;

network flash(layer_form form, pass_kind pass) {
  return network_of(model_of("small"), {90, 200}, small_windows, form, pass);
}

TEST(ArenaCheck, NoTensorIsWrittenOverInAnyModelAndForm) {
  for (const layer_form form :
       {layer_form::library, layer_form::own, layer_form::per_layer_best, layer_form::per_layer_best_on_mma,
        layer_form::separate, layer_form::second_stream, layer_form::second_stream_to_end, layer_form::joined,
        layer_form::joined_on_mma})
    for (const pass_kind pass : {pass_kind::inference, pass_kind::training}) {
      EXPECT_EQ(violated_arena(flash(form, pass)), "");
      for (const char* model : {"small_ptv3", "small_in_buckets", "small_bucket_pools"})
        EXPECT_EQ(violated_arena(small_network({drawn_cells(350, "a")}, form, model, {}, pass)), "") << model;
      for (const family kind : {family::flash3d, family::ptv3})
        EXPECT_EQ(violated_arena(
                      network_of_block(lone_block(kind, 64, 16, {}), 512, small_windows, form, {}, pass)),
                  "");
    }
  for (const char* model : {"flash46", "flash129"})
    EXPECT_EQ(violated_arena(network_of(model_of(model), {30'000}, {}, layer_form::per_layer_best,
                                        pass_kind::training, {0.3f, 5})),
              "")
        << model;
}

/// The layout forgets which steps read once more what the forward pass wrote.
void forget_written(network& n) {
  for (tensor& t : n.tensors) t.first = t.last = -1;
  for (std::size_t i = 0; i < n.steps.size(); ++i) {
    const step& s = n.steps[i];
    for (const int at : {s.in, s.skip, s.out, s.normed, s.product, s.scratch, s.lse, s.kept, s.beside}) {
      if (at < 0) continue;
      tensor& t = n.tensors[static_cast<std::size_t>(at)];
      if (t.first < 0) t.first = static_cast<int>(i);
      t.last = static_cast<int>(i);
    }
  }
  n.arena_bytes = lay_out(n.tensors);
}

TEST(ArenaCheck, TensorsThatAreForgottenAreFound) {
  for (network n : {flash(layer_form::library, pass_kind::training),
                    small_network({drawn_cells(350, "a")}, layer_form::per_layer_best, "small_ptv3", {},
                                  pass_kind::training)}) {
    forget_written(n);
    EXPECT_THAT(violated_arena(n), HasSubstr(".gradient still reads, and "));
  }
}

/// Of gradients of parameters beside those of rows the layout forgets how long these need what they read.
TEST(ArenaCheck, WhatIsForgottenBesideOtherStepsIsFound) {
  const auto expect_found = [](layer_form form, layer_form forgets) {
    network n = flash(form, pass_kind::training);
    const network without = flash(forgets, pass_kind::training);
    ASSERT_EQ(n.steps.size(), without.steps.size());
    for (std::size_t i = 0; i < without.tensors.size(); ++i) n.tensors[i].last = without.tensors[i].last;
    n.arena_bytes = lay_out(n.tensors);
    EXPECT_THAT(violated_arena(n), HasSubstr(" still reads, and "));
  };
  expect_found(layer_form::second_stream, layer_form::per_layer_best);
  expect_found(layer_form::second_stream_to_end, layer_form::second_stream);
}

TEST(ArenaCheck, PlacesThatOverlapOrEndBehindTheArenaAreFound) {
  const network right = flash(layer_form::own, pass_kind::inference);
  int found = 0;
  for (std::size_t i = 0; i < right.tensors.size(); ++i) {
    network n = right;
    tensor& moved = n.tensors[i];
    if (moved.at != tensor::home::arena || moved.first < 0) continue;
    moved.offset = n.arena_bytes - moved.bytes + 1;
    EXPECT_THAT(violated_arena(n), HasSubstr("does not stand in the arena's")) << moved.name;
    moved.offset = right.tensors[i].offset;
    moved.bytes += 256 * 1024;
    found += !violated_arena(n).empty();
  }
  EXPECT_GT(found, 10);
}

}  // namespace
}  // namespace ablate::backbone::arena_check_test
