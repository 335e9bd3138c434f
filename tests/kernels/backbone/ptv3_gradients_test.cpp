// PTv3's gradients by the oracle against differences of its own forward pass; and its training as steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/backbone/networks.h"
#include "kernels/backbone/work.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/window_slots.h"
#include "kernels/row_norm/row_norm.h"
#include "tests/kernels/backbone/beside.h"
#include "tests/kernels/backbone/flash_pass.h"
#include "tests/kernels/backbone/ptv3_pass.h"
#include "tests/kernels/backbone/slopes.h"

namespace ablate::backbone {
namespace {

ptv3_pass trained(const std::string& model_name, const drop_path& drops = {},
                  layer_form form = layer_form::library) {
  return ptv3_pass({drawn_cells(300, "a"), {}, drawn_cells(333, "b")}, form, model_name,
                   {.align = alignment::window}, pass_kind::training, drops);
}

void expect_slopes(ptv3_pass pass) {
  make_index(pass.on_host(), *pass.steps);
  const pass_values right = reference_pass(pass.on_host(), *pass.steps, rounding::none);
  const layer_table& of = pass.steps->layers;
  expect_slopes_of_layers(pass, right, {of.stem, of.stem_norm}, 13);
  expect_slopes_of_layers(pass, right,
                          {of.down[0].linear, of.down[2].norm, of.up[1].skip, of.up[1].down_norm}, 7);
  expect_slopes_of_layers(pass, right,
                          {of.encoder[0][1].qkv, of.encoder[0][0].second, of.decoder[1][0].first});
  if (!pass.steps->of.has_positions) return;
  const block_layers &first = of.encoder[0][0], &last = of.decoder[0][0];
  expect_slopes_of_layers(pass, right, {first.convolution, last.convolution});
  expect_slopes_of_layers(pass, right, {last.position, last.position_norm, first.position_norm});
}

TEST(Ptv3Gradients, AreItsSlopes) { expect_slopes(trained("small_ptv3")); }

TEST(Ptv3Gradients, AreItsSlopesWherePathsAreDropped) { expect_slopes(trained("small_ptv3", {0.3f, 5})); }

TEST(Ptv3Gradients, AreItsSlopesOnTheWayToFlash3D) {
  expect_slopes(trained("small_in_buckets"));
  expect_slopes(trained("small_bucket_pools"));
}

/// Rows of the last window of an instance are in two slots; one is written back.
TEST(Ptv3Gradients, WindowsTakeRowsAlong) {
  const ptv3_pass pass = trained("small_ptv3");
  const network& n = *pass.steps;
  EXPECT_GT(n.level_at(0).slots, n.level_at(0).real);
  const std::uint32_t ends[] = {5}, slot_ends[] = {8};
  const instance_slots of(ends, slot_ends, 0);
  for (std::uint32_t slot = 0; slot < 5; ++slot) {
    bool is_taken = false;
    for (std::uint32_t other = 5; other < 8; ++other)
      is_taken = is_taken || of.place_of(other, 4) == of.place_of(slot, 4);
    EXPECT_EQ(of.is_taken_along(slot, 4), is_taken) << slot;
  }
}

TEST(Ptv3Gradients, OfRowsThatAreGatheredAreThoseOfRowsInTheirOrder) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t slot = 0; slot < 512; ++slot) order.push_back(slot * 5 % 512);
  const model lone = lone_block(family::ptv3, 32, 16, {});
  const auto made = [&](const std::vector<std::uint32_t>& along) {
    return flash_pass(
        network_of_block(lone, 512, small_windows, layer_form::library, along, pass_kind::training));
  };
  flash_pass in_place = made({}), gathered = made(order);
  for (std::size_t slot = 0; slot < 512; ++slot)
    for (std::size_t c = 0; c < 32; ++c) {
      in_place.x[32 * slot + c] = gathered.x[32 * order[slot] + c];
      in_place.out_gradient[32 * slot + c] = gathered.out_gradient[32 * order[slot] + c];
    }
  const pass_values here = reference_pass(in_place.on_host(), *in_place.steps, rounding::none),
                    there = reference_pass(gathered.on_host(), *gathered.steps, rounding::none);
  EXPECT_LT(distance(there.gradients, here.gradients), 1e-12);
  std::vector<double> in_order;
  for (std::size_t slot = 0; slot < 512; ++slot)
    for (std::size_t c = 0; c < 32; ++c) in_order.push_back(there.x_gradient[32 * order[slot] + c]);
  EXPECT_LT(distance(in_order, here.x_gradient), 1e-12);
}

TEST(Ptv3Gradients, AllFormsHaveTheSame) {
  ptv3_pass library = trained("small_ptv3"), own = trained("small_ptv3", {}, layer_form::own);
  const auto gradients = [](ptv3_pass& pass) {
    make_index(pass.on_host(), *pass.steps);
    return reference_pass(pass.on_host(), *pass.steps, rounding::none).gradients;
  };
  EXPECT_LT(distance(gradients(own), gradients(library)), 1e-12);
}

TEST(Ptv3Training, NoStepSpoilsWhatRunsBesideIt) {
  for (const char* name : {"small_ptv3", "small_in_buckets"})
    for (const drop_path& drops : {drop_path{}, drop_path{0.3f, 5}}) {
      for (const layer_form form : {layer_form::second_stream, layer_form::second_stream_to_end})
        EXPECT_EQ(spoiled_beside(*trained(name, drops, form).steps), std::vector<std::string>());
      EXPECT_FALSE(spoiled_beside(*trained(name, drops, layer_form::per_layer_best).steps).empty());
    }
}

TEST(Ptv3Training, HasAGradientOfEachLayer) {
  for (const char* name : {"small_ptv3", "small_in_buckets", "small_bucket_pools"}) {
    const ptv3_pass pass = trained(name, {0.3f, 1});
    const network& n = *pass.steps;
    std::vector<int> gradients(n.layers.all.size());
    for (const step& s : n.steps)
      for (const int number : {s.layer, s.second, s.norm})
        if (is_gradient(s.kind) && s.kind != step_kind::normalize && number >= 0)
          ++gradients[static_cast<std::size_t>(number)];
    EXPECT_TRUE(std::ranges::all_of(gradients, [](int times) { return times == 1; })) << name;
  }
}

TEST(Ptv3Training, ConvolutionsHaveThreeTimesTheWork) {
  const ptv3_pass inferred({drawn_cells(300, "a")}),
      both({drawn_cells(300, "a")}, layer_form::library, "small_ptv3", {}, pass_kind::training);
  const auto& steps = inferred.steps->steps;
  const auto stem =
      std::ranges::find_if(steps, [](const step& s) { return s.kind == step_kind::convolve && s.is_stem; });
  ASSERT_NE(stem, steps.end());
  const double of_stem = 2.0 * static_cast<double>(inferred.steps->stem_pairs()) * stem->channels *
                         32;  // has no gradient of rows
  EXPECT_DOUBLE_EQ(operations_of(*both.steps).convolution,
                   3 * operations_of(*inferred.steps).convolution - of_stem);
}

/// Lists that gradients go by: as many pairs as the host counts, cut where their shares begin.
TEST(Ptv3Training, FaultsOfTheIndexAreFound) {
  ptv3_pass pass = trained("small_ptv3");
  const network& n = *pass.steps;
  problem p = pass.on_host();
  make_index(p, n);
  EXPECT_EQ(violated_index(p, n), "");
  const auto expect_found = [&](auto& word, const std::string& what) {
    const auto kept = word;
    word += 1;
    EXPECT_NE(violated_index(p, n).find(what), std::string::npos) << violated_index(p, n);
    word = kept;
  };
  const map_places &stem = n.index.stem, &map = n.grid_at(0).map;
  for (const map_places* at : {&stem, &map}) {
    auto* const splits = in_index<sparse_conv::piece>(p, at->splits);
    expect_found(splits[1].count, "piece 1");
    expect_found(splits[0].part, "piece 0: expected part");
    expect_found(in_index<std::int32_t>(p, at->part_ends)[13], "part_ends[13]");
    expect_found(in_index<std::int32_t>(p, at->list_ends)[13], "list_ends[13]");
    expect_found(in_index<std::int32_t>(p, at->in_rows)[3], "list ");
  }
}

TEST(DropPath, RisesAlongEncoderAndDecoder) {
  const model& m = model_of("ptv3");
  // 14 blocks of the encoder; of the decoder's eight a level's two are the other way round.
  EXPECT_EQ(drop_rates(m.encoder, 0, 0.3f, false).front(), 0);
  EXPECT_FLOAT_EQ(drop_rates(m.encoder, 0, 0.3f, false).back(), 0.3f / 13);
  EXPECT_FLOAT_EQ(drop_rates(m.encoder, 4, 0.3f, false).back(), 0.3f);
  EXPECT_EQ(drop_rates(m.decoder, 0, 0.3f, true).back(), 0);
  EXPECT_FLOAT_EQ(drop_rates(m.decoder, 0, 0.3f, true).front(), 0.3f / 7);
  EXPECT_FLOAT_EQ(drop_rates(m.decoder, 3, 0.3f, true).front(), 0.3f);
  EXPECT_EQ(drop_rates({{32, {{}}}}, 0, 0.3f, false), std::vector<float>{0.3f});
}

flash_pass dropped_block(float rate, std::uint64_t seed, family kind = family::flash3d,
                         layer_form form = layer_form::library) {
  return flash_pass(network_of_block(lone_block(kind, 32, 16, {}), 256, small_windows, form, {},
                                     pass_kind::training, {rate, seed}));
}

TEST(DropPath, AtZeroNothingIsAnother) {
  const flash_pass none = dropped_block(0, 9);
  const network plain = network_of_block(lone_block(family::flash3d, 32, 16, {}), 256, small_windows,
                                         layer_form::library, {}, pass_kind::training);
  ASSERT_EQ(none.steps->steps.size(), plain.steps.size());
  for (std::size_t i = 0; i < plain.steps.size(); ++i) {
    EXPECT_EQ(none.steps->steps[i].kind, plain.steps[i].kind);
    EXPECT_EQ(none.steps->steps[i].name, plain.steps[i].name);
  }
}

/// Of both branches, each with rows of its own; what is kept is larger by what is left out.
TEST(DropPath, LeavesRowsOutAndKeepsTheirMean) {
  const flash_pass pass = dropped_block(0.3f, 9);
  std::vector<std::vector<float>> scales;
  for (const step& s : pass.steps->steps)
    if (s.kind == step_kind::add_dropped) {
      EXPECT_EQ(s.drop, 0.3f);
      scales.emplace_back();
      for (std::int64_t row = 0; row < 4096; ++row)
        scales.back().push_back(row_norm::branch_scale(s.drop_seed, s.drop, row));
    }
  ASSERT_EQ(scales.size(), 2u);
  for (const std::vector<float>& of : scales) {
    EXPECT_NEAR(static_cast<double>(std::ranges::count(of, 0.0f)), 0.3 * 4096, 4 * std::sqrt(0.21 * 4096));
    EXPECT_FLOAT_EQ(*std::ranges::max_element(of), 1 / 0.7f);
  }
  EXPECT_NE(scales[0], scales[1]);
}

TEST(DropPath, ADroppedRowIsWhatItWasAndItsGradientToo) {
  flash_pass pass = dropped_block(0.3f, 9);
  const pass_values right = reference_pass(pass.on_host(), *pass.steps, rounding::none);
  std::vector<const step*> branches;
  for (const step& s : pass.steps->steps)
    if (s.kind == step_kind::add_dropped) branches.push_back(&s);
  ASSERT_EQ(branches.size(), 2u);
  int untouched = 0;
  for (std::size_t row = 0; row < 256; ++row) {
    const bool is_left_out = std::ranges::all_of(branches, [&](const step* s) {
      return row_norm::branch_scale(s->drop_seed, s->drop, static_cast<std::int64_t>(row)) == 0;
    });
    if (!is_left_out) continue;
    ++untouched;
    for (std::size_t c = 0; c < 32; ++c)
      EXPECT_EQ(right.out[32 * row + c], static_cast<double>(float_of_bf16(pass.x[32 * row + c])));
  }
  EXPECT_GT(untouched, 5);
  EXPECT_LT(untouched, 60);
}

TEST(DropPath, FollowsFromItsSeed) {
  const auto gradients = [](std::uint64_t seed, layer_form form = layer_form::library) {
    flash_pass pass = dropped_block(0.3f, seed, family::ptv3, form);
    return reference_pass(pass.on_host(), *pass.steps, rounding::none).gradients;
  };
  EXPECT_EQ(gradients(9), gradients(9));
  EXPECT_GT(distance(gradients(9), gradients(10)), 0.1);
  EXPECT_LT(distance(gradients(9), gradients(9, layer_form::separate)), 1e-12);
  EXPECT_LT(distance(gradients(9), gradients(9, layer_form::own)), 1e-12);
}

TEST(DropPath, GradientsOfABlockAreItsSlopes) {
  for (const family kind : {family::flash3d, family::ptv3}) {
    flash_pass pass = dropped_block(0.3f, 9, kind);
    expect_gradients_of_block(pass);
  }
}

}  // namespace
}  // namespace ablate::backbone
