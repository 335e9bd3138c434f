// The rules that choose a variant, on the workloads whose times on an H200 are known
// (results/h200/kernel_map).
#include "kernels/kernel_map/dispatch.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/kernels/kernel_map/host_map.h"

namespace ablate::kernel_map {
namespace {

using testing::kernels;
using testing::name_of;
using testing::shape;

problem onto_itself(int kernel, std::int64_t rows) {
  problem p = shape({kernel, kernel, kernel});
  p.rows = p.outs = rows;
  p.slots = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * rows)));
  return p;
}

problem strided(problem p) {
  p.same = false;
  p.stride = {2, 2, 2};
  p.outs = p.rows / 4;
  return p;
}

cell_density density(const problem& p, double cells_per_row, double survivor_share) {
  return {cells_per_row * static_cast<double>(p.rows), survivor_share};
}

TEST(KernelMapDispatch, PublishedRuleLooksAtTheKernelAlone) {
  EXPECT_EQ(published_choice(onto_itself(3, 1000000)), "flat");
  EXPECT_EQ(published_choice(onto_itself(5, 1000)), "hierarchical");
  EXPECT_EQ(published_choice(onto_itself(7, 1000000)), "hierarchical");
  EXPECT_EQ(published_choice(strided(onto_itself(9, 1000000))), "hierarchical");
  for (const std::array<int, 3>& kernel : {std::array{4, 7, 7}, {6, 6, 6}, {9, 13, 1}, {11, 11, 11}})
    EXPECT_EQ(published_choice(shape(kernel)), "flat") << name_of(kernel);
  EXPECT_EQ(published_choice(shape({9, 5, 3})), "hierarchical");
  EXPECT_EQ(published_choice(shape({1, 11, 13})), "hierarchical");
  EXPECT_EQ(published_choice(shape({7, 7, 7}, true, 1, 2)), "flat");
  problem half = onto_itself(7, 1000);
  half.first_half = true;
  EXPECT_EQ(published_choice(half), "flat");
}

struct known_fastest {
  int kernel;
  std::int64_t rows;
  double cells_per_row, survivor_share;
  const char* variant;
};

TEST(KernelMapDispatch, MeasuredRuleFindsTheFastestOfTheRecord) {
  const known_fastest record[] = {
      {3, 100000, .234, .92, "flat_exchanged"},  {5, 100000, .234, .72, "flat_exchanged"},
      {7, 100000, .234, .51, "flat_exchanged"},  {3, 300000, .237, .91, "flat_exchanged"},
      {5, 300000, .237, .71, "flat_exchanged"},  {7, 300000, .237, .51, "flat_exchanged"},
      {3, 1000000, .230, .91, "flat_exchanged"}, {5, 1000000, .230, .71, "cells"},
      {7, 1000000, .230, .51, "cells"},          {3, 250000, .075, .97, "flat_exchanged"},
      {5, 250000, .075, .87, "cells"},           {7, 250000, .075, .76, "cells"},
      {9, 250000, .075, .65, "cells"},           {5, 250000, .064, .60, "cells"},
      {7, 250000, .064, .57, "cells"},           {3, 250000, .108, .95, "flat_exchanged"},
      {5, 250000, .108, .86, "cells"},           {7, 250000, .108, .75, "cells"},
      {9, 250000, .108, .64, "cells"},           {5, 250000, .924, .44, "flat_exchanged"},
      {7, 250000, .924, .31, "flat_exchanged"},  {7, 250000, .970, .24, "flat_exchanged"},
      {3, 250000, .746, .77, "flat_exchanged"},  {5, 250000, .746, .65, "flat_exchanged"},
      {7, 250000, .746, .56, "flat_exchanged"},  {9, 250000, .746, .51, "flat_exchanged"},
      {3, 250000, .016, .98, "flat_exchanged"},  {5, 250000, .016, .96, "flat_exchanged"},
      {7, 250000, .016, .94, "flat_exchanged"},  {5, 14023, .400, .67, "flat_exchanged"},
      {5, 9884, .268, .75, "flat_exchanged"},    {5, 23112, .547, .53, "flat_exchanged"}};
  for (const known_fastest& k : record) {
    const problem p = onto_itself(k.kernel, k.rows);
    EXPECT_EQ(measured_choice(p, density(p, k.cells_per_row, k.survivor_share)), k.variant)
        << k.kernel << "³, " << k.rows << " rows, " << k.cells_per_row << " cells a row";
  }
}

TEST(KernelMapDispatch, MeasuredRuleTakesWhatCanMakeTheMap) {
  const auto choices = [](const problem& p) {
    std::vector<std::string> names;
    for (const estimated_time& time : estimated_times(p, density(p, .2, .6))) {
      names.push_back(time.variant);
      EXPECT_GT(time.us, 0) << time.variant;
    }
    return names;
  };
  using names = std::vector<std::string>;
  const problem p = onto_itself(7, 100000);
  EXPECT_EQ(choices(p), (names{"flat", "flat_exchanged", "hierarchical", "cells"}));
  EXPECT_EQ(choices(strided(p)), (names{"flat", "hierarchical"}));
  EXPECT_EQ(choices(onto_itself(4, 1000)), (names{"flat", "hierarchical", "cells"}));
  EXPECT_EQ(choices(onto_itself(1, 1000)), (names{"flat"}));
  EXPECT_EQ(choices(onto_itself(11, 1000)), (names{"flat", "flat_exchanged"}));
  problem dilated = p;
  dilated.dilation = {1, 2, 1};
  EXPECT_EQ(choices(dilated), (names{"flat", "flat_exchanged"}));
  problem table = p;
  table.wanted = output::masks;
  EXPECT_EQ(choices(table), (names{"flat", "hierarchical"}));
  problem half = p;
  half.first_half = true;
  EXPECT_EQ(choices(half), (names{"flat"}));
}

TEST(KernelMapDispatch, NothingIsMeasuredWhereEveryDensityGivesTheSameChoice) {
  for (const int kernel : {1, 2, 3, 5, 7, 9, 11})
    for (const std::int64_t rows : {0, 1, 1000, 100000, 300000, 1000000, 10000000})
      for (const problem& p : {onto_itself(kernel, rows), strided(onto_itself(kernel, rows))}) {
        if (depends_on_density(p)) continue;
        const std::string choice = measured_choice(p, {});
        EXPECT_TRUE(choice.starts_with("flat"));
        for (const double cells_per_row : {1. / 64, .05, .1, .2, .4, .7, 1.})
          for (const double survivor_share : {.2, .4, .6, .8, 1.})
            EXPECT_EQ(measured_choice(p, density(p, cells_per_row, survivor_share)), choice)
                << kernel << "³, " << rows << " rows";
      }
  EXPECT_FALSE(depends_on_density(onto_itself(3, 100000)));
  EXPECT_FALSE(depends_on_density(onto_itself(11, 10000000)));
  EXPECT_TRUE(depends_on_density(onto_itself(7, 300000)));
}

}  // namespace
}  // namespace ablate::kernel_map
