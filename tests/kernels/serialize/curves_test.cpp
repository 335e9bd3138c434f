// The oracle's curves: known codes, bijections, unit steps; and the machine that makes Hilbert codes three
// bits a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "harness/inputs/random.h"
#include "kernels/serialize/hilbert_states.h"
#include "oracles/serialize/reference.h"

namespace ablate::serialize::curves_test {
namespace {

using cell = std::array<std::uint32_t, 3>;

constexpr curve curves[] = {curve::z, curve::z_transposed, curve::hilbert, curve::hilbert_transposed};

std::array<std::uint64_t, curve_count> codes_of(int depth, const cell& of) {
  std::array<std::uint64_t, curve_count> codes;
  std::transform(std::begin(curves), std::end(curves), codes.begin(),
                 [&](curve on) { return code_of(on, depth, of); });
  return codes;
}

/// The cell of each code.
std::vector<cell> cells_by_code(curve on, int depth) {
  const std::uint32_t edge = 1u << depth;
  const cell none = {edge, edge, edge};
  std::vector<cell> cells(std::size_t{1} << 3 * depth, none);
  for (std::uint32_t x = 0; x < edge; ++x)
    for (std::uint32_t y = 0; y < edge; ++y)
      for (std::uint32_t z = 0; z < edge; ++z) {
        const std::uint64_t code = code_of(on, depth, {x, y, z});
        EXPECT_LT(code, cells.size());
        EXPECT_EQ(cells.at(code), none) << "code " << code << " twice";
        cells.at(code) = {x, y, z};
      }
  return cells;
}

std::uint64_t code_by_states(int depth, const cell& of) {
  constexpr hilbert_states machine = make_hilbert_states();
  const std::uint64_t z_code = code_of(curve::z, depth, of);
  std::uint64_t code = 0;
  unsigned entry = 0;
  for (int shift = 3 * (depth - 1); shift >= 0; shift -= 3) {
    entry = machine.next[(entry & ~7u) | (z_code >> shift & 7)];
    code = code << 3 | (entry & 7);
  }
  return code;
}

TEST(SpaceFillingCurves, HaveTheKnownCodes) {
  using codes = std::array<std::uint64_t, curve_count>;
  EXPECT_EQ(codes_of(1, {1, 0, 0}), (codes{4, 2, 7, 3}));
  EXPECT_EQ(codes_of(1, {1, 1, 0}), (codes{6, 6, 4, 4}));
  EXPECT_EQ(codes_of(1, {0, 1, 1}), (codes{3, 5, 2, 6}));
  EXPECT_EQ(codes_of(2, {3, 0, 1}), (codes{37, 19, 56, 26}));
  EXPECT_EQ(codes_of(4, {5, 10, 3}), (codes{1309, 2219, 2004, 3910}));
  EXPECT_EQ(codes_of(11, {1234, 567, 89}), (codes{4573196979, 2689495861, 8256659060, 4175623750}));
  EXPECT_EQ(codes_of(16, {40000, 12345, 54321}),
            (codes{181940184527875, 112651624175621, 234846664663554, 76682653077428}));
}

TEST(SpaceFillingCurves, OfNoBitsHaveOneCode) {
  EXPECT_EQ(codes_of(0, {0, 0, 0}), decltype(codes_of(0, {})){});
}

TEST(SpaceFillingCurves, MeetEachCellOnce) {
  for (const curve on : curves)
    for (int depth = 1; depth <= 4; ++depth)
      for (const cell& met : cells_by_code(on, depth)) EXPECT_LT(met[0], 1u << depth);
}

TEST(HilbertCurves, GoOneUnitAStep) {
  for (const curve on : {curve::hilbert, curve::hilbert_transposed})
    for (int depth = 1; depth <= 4; ++depth) {
      const std::vector<cell> cells = cells_by_code(on, depth);
      for (std::size_t code = 1; code < cells.size(); ++code) {
        int distance = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          distance += std::abs(static_cast<int>(cells[code][axis]) - static_cast<int>(cells[code - 1][axis]));
        EXPECT_EQ(distance, 1) << "depth " << depth << ", code " << code;
      }
    }
}

/// What pooling by grid rests on: cells of a coarser grid follow each other as their cells do.
TEST(SpaceFillingCurves, ACodeWithoutItsLastBitsIsThatOfTheCoarserGrid) {
  for (const curve on : curves)
    for (int depth = 1; depth <= 4; ++depth)
      for (const cell& each : cells_by_code(on, depth))
        for (int shift = 1; shift <= depth; ++shift)
          ASSERT_EQ(code_of(on, depth, each) >> 3 * shift,
                    code_of(on, depth - shift, {each[0] >> shift, each[1] >> shift, each[2] >> shift}));
  random_stream random(2, "cells");
  for (const curve on : curves)
    for (int i = 0; i < 1000; ++i) {
      cell any;
      for (std::uint32_t& axis : any) axis = random.below(1u << max_depth);
      ASSERT_EQ(code_of(on, max_depth, any) >> 3,
                code_of(on, max_depth - 1, {any[0] >> 1, any[1] >> 1, any[2] >> 1}));
    }
}

TEST(HilbertStates, GiveTheCodesOfSkillingsLoop) {
  for (int depth = 1; depth <= 4; ++depth)
    for (const cell& each : cells_by_code(curve::z, depth))
      ASSERT_EQ(code_by_states(depth, each), code_of(curve::hilbert, depth, each));
  random_stream random(1, "cells");
  for (int depth = 5; depth <= max_depth; ++depth)
    for (int i = 0; i < 1000; ++i) {
      cell any;
      for (std::uint32_t& axis : any) axis = random.below(1u << depth);
      ASSERT_EQ(code_by_states(depth, any), code_of(curve::hilbert, depth, any)) << "depth " << depth;
    }
}

}  // namespace
}  // namespace ablate::serialize::curves_test
