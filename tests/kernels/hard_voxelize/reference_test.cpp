// The oracle keeps the first points of the first voxels, and the checks find each way to be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "oracles/hard_voxelize/checks.h"
#include "oracles/hard_voxelize/reference.h"
#include "tests/kernels/voxelize/corner_cases.h"

namespace ablate::hard_voxelize::reference_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Points in the cells of a row of four, each given by its cell, −1 outside; solved by the oracle.
struct solved {
  explicit solved(const std::vector<int>& cells, int points_per_voxel = 2, int max_voxels = 3,
                  int batch = 1) {
    p.batch = batch;
    p.points_per_cloud = static_cast<std::int64_t>(cells.size()) / batch;
    p.voxel = {0.25f, 1, 1};
    p.cells = {4, 1, 1};
    p.points_per_voxel = points_per_voxel;
    p.max_voxels = max_voxels;
    p.kept = choice::first;
    for (const int cell : cells) xyz.insert(xyz.end(), {0.25f * static_cast<float>(cell) + 0.1f, 0.5f, 0.5f});
    const auto all = static_cast<std::size_t>(batch * max_voxels);
    voxel_cell.assign(all, -99);
    stored.assign(all, -99);
    members.assign(all * static_cast<std::size_t>(points_per_voxel), -99);
    voxels.assign(static_cast<std::size_t>(batch), -99);
    p.points = xyz.data();
    p.voxel_cell = voxel_cell.data();
    p.stored = stored.data();
    p.members = members.data();
    p.voxels = voxels.data();
    reference(p);
  }
  solved(const solved&) = delete;
  std::string violation(choice kept) {
    p.kept = kept;
    return violated(p).value_or("");
  }

  std::vector<float> xyz;
  std::vector<std::int32_t> voxel_cell, stored, members, voxels;
  problem p;
};

TEST(HardVoxelizeReference, KeepsTheFirstPointsOfTheFirstVoxels) {
  const solved s({3, -1, 1, 3, 3, 0, 2, 1, 2});
  EXPECT_THAT(s.voxels, ElementsAre(3));
  EXPECT_THAT(s.voxel_cell, ElementsAre(3, 1, 0));  // 2 comes when there are three already
  EXPECT_THAT(s.stored, ElementsAre(2, 2, 1));
  EXPECT_THAT(s.members, ElementsAre(0, 3, 2, 7, 5, -1));
}

TEST(HardVoxelizeReference, LeavesWhatIsBehindTheVoxelsOpen) {
  const solved s({2, 2, 2});
  EXPECT_THAT(s.voxels, ElementsAre(1));
  EXPECT_THAT(s.voxel_cell, ElementsAre(2, -99, -99));
  EXPECT_THAT(s.members, ElementsAre(0, 1, -99, -99, -99, -99));
}

TEST(HardVoxelizeReference, OfNoPointsOrNoneInsideIsNothing) {
  EXPECT_THAT(solved({}).voxels, ElementsAre(0));
  EXPECT_THAT(solved({-1, -1}).voxels, ElementsAre(0));
}

TEST(HardVoxelizeReference, KeepsTheCloudsOfABatchApart) {
  const solved s({1, 1, 0, 1}, 2, 2, 2);
  EXPECT_THAT(s.voxels, ElementsAre(1, 2));
  EXPECT_THAT(s.voxel_cell, ElementsAre(1, -99, 0, 1));
  EXPECT_THAT(s.members, ElementsAre(0, 1, -99, -99, 0, -1, 1, -1));
}

TEST(HardVoxelizeReference, DropsPointsOutsideTheGrid) {
  for (const auto& c : voxelize::test_support::corner_cases()) {
    solved s({-1});
    s.p.voxel = {0.25f, 0.25f, 0.25f};
    s.p.cells = {4, 4, 4};
    s.p.points = c.point;
    reference(s.p);
    EXPECT_EQ(s.voxels[0], c.cell >= 0 ? 1 : 0) << c.name;
    EXPECT_EQ(s.voxel_cell[0], c.cell >= 0 ? c.cell : -99) << c.name;
  }
}

TEST(HardVoxelizeChecks, AcceptTheOracle) {
  for (const choice kept : {choice::first, choice::any}) {
    solved s({3, -1, 1, 3, 3, 0, 2, 1, 2});
    EXPECT_EQ(s.violation(kept), "");
    solved batch({1, 1, 0, 1}, 2, 2, 2);
    EXPECT_EQ(batch.violation(kept), "");
  }
}

TEST(HardVoxelizeChecks, AcceptAnyPointsOfAnyVoxelsOnlyWhereAnyWillDo) {
  solved s({3, -1, 1, 3, 3, 0, 2, 1, 2});
  s.voxel_cell = {2, 0, 3};
  s.stored = {2, 1, 2};
  s.members = {8, 6, 5, -1, 4, 0};
  EXPECT_EQ(s.violation(choice::any), "");
  EXPECT_THAT(s.violation(choice::first), HasSubstr("cloud 0, cell of voxel 0: expected 3, found 2"));
}

TEST(HardVoxelizeChecks, TellEachWayToBeWrong) {
  const auto tells = [](choice kept, const std::function<void(solved&)>& spoil, const char* what) {
    solved s({3, -1, 1, 3, 3, 0, 2, 1, 2});
    spoil(s);
    EXPECT_THAT(s.violation(kept), HasSubstr(what));
  };
  for (const choice kept : {choice::first, choice::any}) {
    tells(
        kept, [](solved& s) { s.voxels[0] = 2; }, "voxels: expected 3, found 2");
    tells(
        kept, [](solved& s) { s.stored[1] = 1; }, "stored points of voxel 1: expected 2, found 1");
    tells(
        kept, [](solved& s) { s.members[5] = 7; }, "member 1 of voxel 2: expected -1, found 7");
    tells(
        kept, [](solved& s) { s.members[2] = -1; }, "member 0 of voxel 1: expected");
    tells(
        kept, [](solved& s) { s.members[1] = 7; }, "member 1 of voxel 0: expected");
    tells(
        kept, [](solved& s) { s.members[1] = 1 << 20; }, "member 1 of voxel 0: expected");
    tells(
        kept, [](solved& s) { s.voxel_cell[2] = -7; }, "cell of voxel 2: expected");
  }
  tells(
      choice::first, [](solved& s) { std::swap(s.members[0], s.members[1]); },
      "member 0 of voxel 0: expected 0, found 3");
  tells(
      choice::first, [](solved& s) { s.members[1] = 4; }, "member 1 of voxel 0: expected 3, found 4");
  tells(
      choice::any, [](solved& s) { s.members[1] = 0; }, "expected no point for the second time, found 0");
  tells(
      choice::any, [](solved& s) { s.voxel_cell[1] = 3; }, "expected no cell of another voxel, found 3");
}

}  // namespace
}  // namespace ablate::hard_voxelize::reference_test
