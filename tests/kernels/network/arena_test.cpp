// The arena's layout: tensors of a few steps by hand, and PTv3 at the sizes of a nuScenes scan, where the
// order of sizes alone takes an eighth more than what lives.
#include "kernels/network/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/backbone/networks.h"
#include "kernels/network/network.h"
#include "tests/kernels/backbone/overlaps.h"

namespace ablate::backbone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t line = arena_alignment;

tensor needed(const char* name, std::int64_t lines, int first, int last) {
  return {.name = name, .bytes = lines * line, .first = first, .last = last};
}

/// In the order of sizes `kept` comes last, above `second`, which is above `last`: 7 lines.
std::vector<tensor> small_one_that_lives_long() {
  return {needed("first", 4, 0, 0), needed("second", 3, 1, 2), needed("last", 3, 2, 2),
          needed("kept", 1, 0, 1)};
}

TEST(ArenaLayout, IsTheLeastWhereOneExists) {
  std::vector<tensor> tensors = small_one_that_lives_long();
  EXPECT_EQ(max_live_bytes(tensors), 6 * line);
  EXPECT_EQ(lay_out(tensors), 6 * line);
  EXPECT_THAT(overlaps(tensors), IsEmpty());
}

TEST(ArenaLayout, IsTheSameEachTime) {
  std::vector<tensor> once = small_one_that_lives_long(), again = once;
  lay_out(once);
  lay_out(again);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].offset, again[i].offset) << once[i].name;
}

TEST(ArenaLayout, OneByteInCommonIsFound) {
  std::vector<tensor> tensors = small_one_that_lives_long();
  lay_out(tensors);
  tensor &kept = tensors[3], &second = tensors[1];
  kept.offset = second.offset + second.bytes;
  EXPECT_THAT(overlaps({second, kept}), IsEmpty());
  kept.offset -= 1;
  EXPECT_THAT(overlaps({second, kept}), ElementsAre("second, kept"));
}

/// Voxels and neighbors of each level of the scan, these spread evenly over the offsets.
grid_levels nuscenes_levels() {
  constexpr std::array<std::pair<std::uint32_t, std::int64_t>, level_count> counts = {
      {{23'091, 55'753}, {17'856, 50'390}, {12'606, 48'076}, {7'911, 38'191}, {4'525, 28'047}}};
  constexpr std::int64_t stem_pairs = 95'315;
  const auto spread = [](std::int64_t pairs, int lists) {
    std::vector<std::int64_t> ends;
    for (int q = 0; q <= lists; ++q) ends.push_back(pairs * q / lists);
    return ends;
  };
  grid_levels grid{.depth = 12, .of = {}, .stem_list_ends = spread(stem_pairs, stem_lists)};
  for (const auto& [voxels, pairs] : counts)
    grid.of.push_back({.ends = {voxels}, .list_ends = spread(pairs, position_lists)});
  return grid;
}

TEST(ArenaLayout, OfPtv3OnAScanIsLittleMoreThanWhatLives) {
  for (const pass_kind pass : {pass_kind::inference, pass_kind::training})
    for (const layer_form form :
         {layer_form::library, layer_form::own, layer_form::per_layer_best, layer_form::joined}) {
      const network n = network_of_ptv3(model_of("ptv3"), nuscenes_levels(), {.bucket = 512, .window = 1024},
                                        form, index_order::as_needed, pass);
      EXPECT_THAT(overlaps(n.tensors), IsEmpty());
      EXPECT_GE(n.arena_bytes, max_live_bytes(n.tensors));
      EXPECT_LE(static_cast<double>(n.arena_bytes), 1.01 * static_cast<double>(max_live_bytes(n.tensors)));
    }
}

}  // namespace
}  // namespace ablate::backbone
