// A forward pass as steps: what follows what, and the arena that its tensors share.
#include "kernels/network/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/backbone/backbone.h"
#include "kernels/backbone/networks.h"
#include "kernels/network/parts.h"
#include "tests/kernels/backbone/overlaps.h"

namespace ablate::backbone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<network> all_networks() {
  std::vector<network> all;
  for (const char* name : {"flash19", "flash19_gelu", "flash129", "small"})
    for (const std::uint32_t points : {1u, 300u, 23'091u})
      for (const layer_form form :
           {layer_form::library, layer_form::own, layer_form::per_layer_best,
            layer_form::per_layer_best_on_mma, layer_form::separate, layer_form::second_stream,
            layer_form::second_stream_to_end, layer_form::joined, layer_form::joined_on_mma})
        all.push_back(network_of(model_of(name), {points}, {}, form));
  all.push_back(
      network_of_block(lone_block(family::flash3d, 128, 16, {1, 1}), 8192, {}, layer_form::library));
  for (const layer_form form : {layer_form::library, layer_form::own, layer_form::per_layer_best,
                                layer_form::joined, layer_form::joined_on_mma})
    for (const network& n : {network_of_block(lone_block(family::flash3d, 128, 16, {1, 1}), 8192, {}, form,
                                              {}, pass_kind::training),
                             network_of(model_of("flash19"), {23'091}, {}, form, pass_kind::training),
                             network_of(model_of("small"), {300}, {}, form, pass_kind::training)})
      all.push_back(n);
  return all;
}

TEST(BackboneArena, TensorsNeededTogetherStandApart) {
  for (const network& n : all_networks()) EXPECT_THAT(overlaps(n.tensors), IsEmpty());
}

TEST(BackboneArena, HoldsEveryTensorAtAWholeLine) {
  for (const network& n : all_networks())
    for (const tensor& t : n.tensors) {
      EXPECT_GE(t.first, 0) << t.name;
      if (t.at != tensor::home::arena) continue;
      EXPECT_EQ(t.offset % arena_alignment, 0);
      EXPECT_LE(t.offset + t.bytes, n.arena_bytes);
    }
}

TEST(BackboneArena, IsLittleMoreThanWhatLives) {
  for (const network& n : all_networks()) {
    EXPECT_GE(n.arena_bytes, max_live_bytes(n.tensors));
    EXPECT_LE(static_cast<double>(n.arena_bytes), 1.01 * static_cast<double>(max_live_bytes(n.tensors)));
  }
}

/// Each step reads tensors that an earlier one wrote, or the input, and writes one that none wrote before.
TEST(BackboneNetwork, StepsReadWhatWasWritten) {
  for (const network& n : all_networks()) {
    std::vector<bool> written;
    for (const tensor& t : n.tensors)
      written.push_back(t.at == tensor::home::input || t.at == tensor::home::output_gradient);
    for (const step& s : n.steps) {
      // A batch norm writes its statistics.
      if (s.kind == step_kind::batch_norm && s.written >= 0)
        written[static_cast<std::size_t>(s.written)] = true;
      for (const int i : {s.in, s.skip, s.kept, s.written, s.beside})
        EXPECT_TRUE(i < 0 || written[static_cast<std::size_t>(i)]) << s.name;
      if (s.next >= 0) written[static_cast<std::size_t>(s.next)] = true;
      if (s.out < 0) continue;
      EXPECT_FALSE(written[static_cast<std::size_t>(s.out)]) << s.name;
      written[static_cast<std::size_t>(s.out)] = true;
    }
    if (n.trains() && !n.is_block()) {
      EXPECT_EQ(n.steps.back().kind, step_kind::embed_gradient);
      continue;
    }
    EXPECT_EQ(n.tensors[static_cast<std::size_t>(n.steps.back().out)].at,
              n.trains() ? tensor::home::input_gradient : tensor::home::output);
  }
}

/// What attention adds to is cleared before the features, once, and each has its own part.
TEST(BackboneNetwork, JoinedStepsClearOnce) {
  ASSERT_TRUE(network_of(model_of("flash19"), {23'091}, {}, layer_form::joined_on_mma).joins());
  const network n = network_of(model_of("flash19"), {23'091}, {}, layer_form::joined);
  ASSERT_TRUE(n.joins());
  EXPECT_EQ(std::ranges::count(n.steps, step_kind::clear, &step::kind), 1);
  EXPECT_EQ(std::ranges::find_if_not(n.steps, [](const step& s) { return is_index(s.kind); })->kind,
            step_kind::clear);
  std::int64_t behind = 0;
  for (const step& s : n.steps) {
    if (s.kind != step_kind::attention) continue;
    EXPECT_EQ(s.scratch, n.cleared);
    EXPECT_GE(s.scratch_from, behind) << s.name;
    behind = s.scratch_from + attention_scratch_bytes(n, s);
  }
  EXPECT_LE(behind, n.tensors[static_cast<std::size_t>(n.cleared)].bytes);
  for (const network& other :
       {network_of(model_of("flash19"), {300}, {}, layer_form::per_layer_best),
        network_of(model_of("small"), {300}, {}, layer_form::joined, pass_kind::training)})
    EXPECT_FALSE(other.joins());
}

TEST(BackboneNetwork, ABlockIsItsLayers) {
  const auto names = [](int channels, layer_form form) {
    std::vector<std::string> all;
    for (const step& s :
         network_of_block(lone_block(family::flash3d, channels, 16, {}), 4096, {}, form).steps)
      all.push_back(s.name);
    return all;
  };
  EXPECT_THAT(names(256, layer_form::own),
              ElementsAre("encoder.0.0.qkv", "encoder.0.0.attention", "encoder.0.0.proj", "encoder.0.0.fc1",
                          "encoder.0.0.fc2"));
  EXPECT_THAT(names(128, layer_form::own),
              ElementsAre("encoder.0.0.qkv", "encoder.0.0.attention", "encoder.0.0.proj", "encoder.0.0.mlp"));
  EXPECT_EQ(names(128, layer_form::library).size(), 5u);
  EXPECT_THAT(names(128, layer_form::separate),
              ElementsAre("encoder.0.0.qkv", "encoder.0.0.attention", "encoder.0.0.proj",
                          "encoder.0.0.proj.added", "encoder.0.0.fc1", "encoder.0.0.fc1.activated",
                          "encoder.0.0.fc2", "encoder.0.0.fc2.added"));
}

TEST(BackboneNetwork, ABlockMayGatherItsWindows) {
  const model lone = lone_block(family::ptv3, 128, 16, {});
  EXPECT_EQ(network_of_block(lone, 4096, {}, layer_form::own).layers.parameters(), 12 * 128 * 128 + 13 * 128);
  std::vector<std::uint32_t> order(4096);
  for (std::uint32_t slot = 0; slot < 4096; ++slot) order[slot] = slot ^ 1;
  const network n = network_of_block(lone, 4096, {}, layer_form::own, order);
  std::vector<std::string> names;
  for (const step& s : n.steps) names.push_back(s.name);
  EXPECT_THAT(names, ElementsAre("encoder.0.0.qkv", "encoder.0.0.into_windows", "encoder.0.0.attention",
                                 "encoder.0.0.from_windows", "encoder.0.0.proj", "encoder.0.0.mlp"));
  ASSERT_EQ(n.windows.size(), 2 * 4096u + 8);
  EXPECT_EQ(n.windows[7], 6u);
  EXPECT_EQ(n.windows[4096 + 7], 6u);
  EXPECT_EQ(n.steps[2].windows_at, 2 * 4096);
  EXPECT_EQ(published_waits(n), 0);
}

/// A linear step's launches: n norm, p product, + activation; a capital is the library's.
std::string launches_of(const step& s) {
  const char* const by = s.how.by == multiplier::library ? "P" : "p";
  return std::string(s.normed >= 0 ? "n" : "") + by + (s.product >= 0 ? "+" : "");
}

TEST(BackboneNetwork, EachLayerOfAChosenBlockHasItsOwnForm) {
  const auto forms = [](std::int64_t rows, int channels, layer_form form) {
    std::vector<std::string> all;
    for (const step& s :
         network_of_block(lone_block(family::flash3d, channels, 16, {}), rows, {}, form).steps)
      all.push_back(s.kind == step_kind::linear ? launches_of(s) : s.name.substr(s.name.rfind('.') + 1));
    return all;
  };
  EXPECT_THAT(forms(4096, 512, layer_form::per_layer_best), ElementsAre("nP", "attention", "p", "np", "P"));
  EXPECT_THAT(forms(4096, 256, layer_form::per_layer_best), ElementsAre("p", "attention", "p", "np", "P"));
  EXPECT_THAT(forms(8192, 128, layer_form::per_layer_best), ElementsAre("p", "attention", "p", "mlp"));
  EXPECT_THAT(forms(24'576, 32, layer_form::per_layer_best), ElementsAre("nP", "attention", "P", "mlp"));
  EXPECT_THAT(forms(4096, 512, layer_form::per_layer_best_on_mma),
              ElementsAre("nP", "attention", "P", "nP+", "P"));
  EXPECT_THAT(forms(4096, 64, layer_form::per_layer_best_on_mma),
              ElementsAre("nP", "attention", "P", "np", "P"));
  for (const int channels : {32, 64, 128, 512})
    EXPECT_EQ(forms(4096, channels, layer_form::joined_on_mma),
              forms(4096, channels, layer_form::per_layer_best_on_mma));
  EXPECT_THAT(forms(4096, 512, layer_form::own), ElementsAre("p", "attention", "p", "p", "p"));
  EXPECT_THAT(forms(4096, 64, layer_form::library), ElementsAre("nP", "attention", "P", "nP+", "P"));
  EXPECT_THAT(forms(4096, 64, layer_form::separate),
              ElementsAre("nP+", "attention", "P+", "added", "nP+", "activated", "P+", "added"));
}

/// Tensors between a step's launches live in it alone, and are as wide as what they hold.
TEST(BackboneNetwork, WhatIsKeptBetweenLaunchesLivesInItsStep) {
  for (const network& n : all_networks())
    for (std::size_t i = 0; i < n.steps.size(); ++i) {
      const step& s = n.steps[i];
      if (s.kind != step_kind::linear) continue;
      const layer& of = n.layer_at(s.layer);
      const std::int64_t rows = n.levels[static_cast<std::size_t>(s.level)].rows;
      EXPECT_EQ(s.normed >= 0, s.how.norm == norm_place::launch) << s.name;
      const auto holds = [&](int number, int columns) {
        if (number < 0) return;
        const tensor& t = n.tensors[static_cast<std::size_t>(number)];
        EXPECT_EQ(t.first, static_cast<int>(i)) << t.name;
        EXPECT_EQ(t.last, static_cast<int>(i)) << t.name;
        EXPECT_EQ(t.bytes, 2 * rows * columns) << t.name;
      };
      holds(s.normed, of.inputs);
      holds(s.product, of.outputs);
    }
}

TEST(BackboneNetwork, PooledRowsAreFinishedInTheirReductionUnlessTheLibraryDoesAll) {
  for (const network& n : all_networks())
    for (const step& s : n.steps) {
      if (s.kind != step_kind::reduce) continue;
      EXPECT_EQ(s.product >= 0, is_by_library(n.form));
    }
}

TEST(BackboneNetwork, WaitsWhereThePublishedCodeDoes) {
  const auto waits = [](const char* name) {
    return published_waits(network_of(model_of(name), {23'091}, {}, layer_form::library));
  };
  EXPECT_EQ(waits("flash19"), 36);
  EXPECT_EQ(waits("flash46"), 44);
}

}  // namespace
}  // namespace ablate::backbone
