#include "kernels/common/block_layout.h"

#include <gtest/gtest.h>

namespace ablate::block_layout_test {
namespace {

void expect_blocks_in_turn(const block_layout& layout) {
  std::int64_t next = 0;
  for (std::int64_t block = 0; block < layout.blocks(); ++block) {
    const token_span span = layout.span(block);
    ASSERT_EQ(span.first, next) << block;
    for (std::int64_t token = span.first; token < span.first + span.count; ++token)
      ASSERT_EQ(layout.block_of(token), block) << token;
    next += span.count;
  }
  EXPECT_EQ(next, layout.patches());
}

TEST(BlockLayout, BlocksFollowEachOtherAndHoldEveryPatchOnce) {
  for (const std::int64_t images : {1, 2, 3, 32}) {
    expect_blocks_in_turn({token_geometry::s3r, images * 1008, 16});
    expect_blocks_in_turn({token_geometry::vggt, images * 1041, 16});
  }
  for (const int block : {32, 64, 128}) expect_blocks_in_turn({token_geometry::s3r, 8 * 1008, block});
}

TEST(BlockLayout, CutBlocksStandBehindTheWholeOnesOfTheirImage) {
  const block_layout layout{token_geometry::vggt, 3 * 1041, 16};
  EXPECT_EQ(layout.blocks(), 210);
  EXPECT_EQ(layout.patches(), 3 * 37 * 28);
  EXPECT_EQ(layout.span(62).count, 16);
  EXPECT_EQ(layout.span(63).count, 4);
  EXPECT_EQ(layout.span(69).first, 1032);
  EXPECT_EQ(layout.span(70).first, 1036);
  EXPECT_EQ(layout.span(70).count, 16);
  EXPECT_EQ(layout.blocks_of_first_image(), 70);
}

TEST(BlockLayout, TheFirstImagesBlocksAreThoseThatBeginInIt) {
  const auto blocks = [](int block) {
    return block_layout{token_geometry::s3r, 8 * 1008, block}.blocks_of_first_image();
  };
  EXPECT_EQ(blocks(16), 63);
  EXPECT_EQ(blocks(32), 32);
  EXPECT_EQ(blocks(128), 8);
}

}  // namespace
}  // namespace ablate::block_layout_test
