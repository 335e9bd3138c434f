// The orders in which patches of an image are cut into blocks.
#include "kernels/block_sparse_attention/patch_order.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "kernels/global_attention/patch_position.h"

namespace ablate::block_sparse_attention {
namespace {

using global_attention::patch_position, global_attention::position_of;

block_layout image_of(token_geometry geometry, std::int64_t images = 1) {
  return {geometry, images * (geometry == token_geometry::vggt ? 1041 : 1008)};
}

TEST(PatchOrder, HasEachPatchOnce) {
  for (const token_geometry geometry : {token_geometry::s3r, token_geometry::vggt})
    for (const patch_order order : {patch_order::natural, patch_order::rows, patch_order::hilbert}) {
      const std::vector<std::int32_t> patches = patches_in_order(geometry, order);
      const std::set<std::int32_t> distinct(patches.begin(), patches.end());
      EXPECT_EQ(distinct.size(), geometry == token_geometry::vggt ? 1036u : 1008u);
      EXPECT_EQ(distinct.size(), patches.size());
      EXPECT_EQ(*distinct.begin(), 0);
      EXPECT_EQ(*distinct.rbegin() + 1, static_cast<std::int32_t>(patches.size()));
    }
}

TEST(PatchOrder, EachPatchHasAPlaceOfItsOwn) {
  for (const token_geometry geometry : {token_geometry::s3r, token_geometry::vggt}) {
    std::set<std::pair<int, int>> places;
    const block_layout image = image_of(geometry);
    for (std::int64_t patch = 0; patch < image.patches(); ++patch) {
      const patch_position at = position_of(image, patch);
      EXPECT_TRUE(places.emplace(at.x, at.y).second) << patch;
      EXPECT_LT(at.x, geometry == token_geometry::vggt ? 37 : 36);
      EXPECT_LT(at.y, 28);
    }
  }
  const patch_position of_second = position_of(image_of(token_geometry::vggt, 2), 1036 + 1008 + 9);
  EXPECT_EQ(of_second.image, 1);
  EXPECT_EQ(of_second.x, 36);
  EXPECT_EQ(of_second.y, 9);
}

TEST(PatchOrder, RowsAreThoseOfTheImage) {
  for (const token_geometry geometry : {token_geometry::s3r, token_geometry::vggt}) {
    const int columns = geometry == token_geometry::vggt ? 37 : 36;
    const std::vector<std::int32_t> patches = patches_in_order(geometry, patch_order::rows);
    for (std::size_t i = 0; i < patches.size(); ++i) {
      const patch_position at = position_of(image_of(geometry), patches[i]);
      EXPECT_EQ(at.y * columns + at.x, static_cast<int>(i));
    }
  }
}

TEST(PatchOrder, AHilbertCurveGoesFromNeighborToNeighbor) {
  // But where it leaves the image, and comes back.
  const block_layout image = image_of(token_geometry::s3r);
  const std::vector<std::int32_t> patches = patches_in_order(token_geometry::s3r, patch_order::hilbert);
  int jumps = 0;
  for (std::size_t i = 1; i < patches.size(); ++i) {
    const patch_position a = position_of(image, patches[i - 1]), b = position_of(image, patches[i]);
    const int way = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    EXPECT_GE(way, 1);
    jumps += way > 1;
  }
  EXPECT_LT(jumps, 20);
  // 16 patches that begin at a multiple of 16 inside the image are 4 x 4 of it.
  std::set<std::pair<int, int>> cells;
  for (std::size_t i = 0; i < 16; ++i) {
    const patch_position at = position_of(image, patches[i]);
    cells.emplace(at.x / 4, at.y / 4);
  }
  EXPECT_EQ(cells.size(), 1u);
}

TEST(PatchOrder, OfAllTokensSpecialOnesStayBehind) {
  const block_layout layout = image_of(token_geometry::vggt, 3);
  const token_order order(layout, patch_order::hilbert);
  std::set<std::int64_t> tokens;
  for (std::int64_t place = 0; place < layout.tokens; ++place) {
    const std::int64_t token = order.token_at(place);
    tokens.insert(token);
    if (place >= layout.patches())
      EXPECT_EQ(token, place);
    else
      EXPECT_EQ(token / 1036, place / 1036);
  }
  EXPECT_EQ(static_cast<std::int64_t>(tokens.size()), layout.tokens);
}

}  // namespace
}  // namespace ablate::block_sparse_attention
