// The rules that choose a variant, and the survey of cells that one of them rests on. What the measured rule
// is worth on an H200: committed_dispatch_test.cpp.
#include "kernels/kernel_map/dispatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/kernels/kernel_map/host_map.h"

namespace ablate::kernel_map::dispatch_test {
namespace {

using test_support::kernels;
using test_support::name_of;
using test_support::shape;

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

TEST(KernelMapDispatch, MeasuredRuleTakesWhatCanMakeTheMap) {
  const auto choices = [](const problem& p) {
    std::vector<std::string> names;
    for (const estimated_time& time : estimated_times(p, .2 * static_cast<double>(p.rows))) {
      names.push_back(time.variant);
      EXPECT_GT(time.us, 0) << time.variant;
    }
    return names;
  };
  using names = std::vector<std::string>;
  const problem p = onto_itself(7, 100000);
  EXPECT_EQ(choices(p), (names{"flat", "flat_symmetric", "hierarchical_bitmap",
                               "hierarchical_bitmap_symmetric", "cells", "cells_symmetric"}));
  EXPECT_EQ(choices(strided(p)), (names{"flat", "hierarchical_bitmap"}));
  EXPECT_EQ(choices(onto_itself(4, 1000)), (names{"flat", "hierarchical_bitmap", "cells"}));
  EXPECT_EQ(choices(onto_itself(1, 1000)), (names{"flat"}));
  EXPECT_EQ(choices(onto_itself(11, 1000)), (names{"flat", "flat_symmetric"}));
  problem dilated = p;
  dilated.dilation = {1, 2, 1};
  EXPECT_EQ(choices(dilated), (names{"flat", "flat_symmetric"}));
  problem table = p;
  table.wanted = output::masks;
  EXPECT_EQ(choices(table), (names{"flat", "hierarchical_bitmap"}));
  problem half = p;
  half.first_half = true;
  EXPECT_EQ(choices(half), (names{"flat"}));
}

TEST(KernelMapDispatch, CellsAreCountedWhereTheyCanSaveMoreThanThatCosts) {
  for (const std::int64_t rows : {0, 1, 1000, 10000}) EXPECT_FALSE(depends_on_density(onto_itself(5, rows)));
  EXPECT_FALSE(depends_on_density(onto_itself(3, 400000)));
  EXPECT_FALSE(depends_on_density(onto_itself(7, 100000)));
  EXPECT_FALSE(depends_on_density(onto_itself(11, 10000000)));
  EXPECT_FALSE(depends_on_density(strided(onto_itself(3, 1000000))));
  EXPECT_TRUE(depends_on_density(onto_itself(3, 3000000)));
  EXPECT_TRUE(depends_on_density(onto_itself(5, 1500000)));
  EXPECT_TRUE(depends_on_density(onto_itself(7, 1500000)));
  // The sanitizers watch the kernels that count at this size.
  EXPECT_TRUE(depends_on_density(onto_itself(4, 350001)));
}

TEST(KernelMapDispatch, ARuleBySizesIsTheMeasuredOneWithoutACount) {
  bool differs = false;
  for (const int kernel : {1, 3, 4, 5, 7, 11})
    for (const std::int64_t rows : {0, 1000, 100000, 1500000, 3000000})
      for (const problem& p : {onto_itself(kernel, rows), strided(onto_itself(kernel, rows))})
        for (const double rows_of_cell : {1.0, 8.0, 64.0}) {
          const bool is_same =
              choice_by_sizes(p) == measured_choice(p, static_cast<double>(rows) / rows_of_cell);
          EXPECT_TRUE(is_same || depends_on_density(p)) << kernel << " of " << rows;
          differs |= !is_same;
        }
  EXPECT_TRUE(differs) << "else there is nothing to count for";
}

TEST(KernelMapDispatch, BitmapsTakeAsLongForFewRowsAsForTwoBlocksAMultiprocessor) {
  // 64 rows a block, 132 multiprocessors: what is left is what each row takes by itself.
  const auto of_bitmap = [](std::int64_t rows) {
    problem p = onto_itself(7, rows);
    p.slots = 65536;
    return estimated_times(p, static_cast<double>(rows))[3];
  };
  EXPECT_EQ(of_bitmap(1000).variant, "hierarchical_bitmap_symmetric");
  const double few = of_bitmap(8000).us - of_bitmap(4000).us,
               more = of_bitmap(24000).us - of_bitmap(20000).us;
  EXPECT_LT(2 * few, more);
}

TEST(KernelMapDispatch, CellsThatAreNotCountedChangeNothing) {
  for (const int kernel : {1, 2, 3, 5, 7, 9, 11})
    for (const std::int64_t rows : {0, 1, 1000, 100000, 300000, 1000000, 10000000})
      for (const problem& p : {onto_itself(kernel, rows), strided(onto_itself(kernel, rows))}) {
        if (depends_on_density(p)) continue;
        const std::string choice = measured_choice(p, 0);
        for (const double cells_per_row : {1. / 64, .05, .1, .2, .4, .7, 1.})
          EXPECT_EQ(measured_choice(p, cells_per_row * static_cast<double>(rows)), choice)
              << kernel << "³, " << rows << " rows";
      }
}

/// What the device finds where cells hash as the numbers up to `cells` do.
cell_survey survey_of(std::int64_t cells, std::int64_t rows) {
  cell_survey survey;
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const std::uint64_t hash = mixed(static_cast<std::uint64_t>(cell) + 1);
    if (hash % (std::uint64_t{1} << survey_sample_bits(rows)) != 0) continue;
    const std::uint64_t bit = hash >> (64 - cell_survey::log2_bits);
    survey.words[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  return survey;
}

TEST(KernelMapSurvey, TellsTheNumberOfCells) {
  for (const std::int64_t rows : {1000, 32768, 32769, 250000, 1000000})
    for (const int rows_of_cell : {1, 4, 16}) {
      const std::int64_t cells = rows / rows_of_cell;
      EXPECT_NEAR(cells_of(survey_of(cells, rows), rows), static_cast<double>(cells),
                  .1 * static_cast<double>(cells))
          << rows << " rows, " << rows_of_cell << " a cell";
    }
}

TEST(KernelMapSurvey, NoMoreRowsThanTwoABitAreInTheSample) {
  EXPECT_EQ(survey_sample_bits(0), 0);
  for (const std::int64_t rows : {1, 32768, 32769, 65536, 65537, 1000000, 2147483647}) {
    const int bits = survey_sample_bits(rows);
    EXPECT_LE(rows, std::int64_t{2 * cell_survey::bits} << bits) << rows;
    if (bits > 0) {
      EXPECT_GT(rows, std::int64_t{cell_survey::bits} << bits) << rows;
    }
  }
}

TEST(KernelMapSurvey, CellsAreAsManyAsRowsCanHave) {
  cell_survey full;
  std::fill(std::begin(full.words), std::end(full.words), ~std::uint64_t{0});
  for (const std::int64_t rows : {0, 1, 6400, 10000000}) {
    EXPECT_EQ(cells_of({}, rows), static_cast<double>(rows) / 64);
    EXPECT_LE(cells_of(full, rows), static_cast<double>(rows));
  }
  EXPECT_EQ(cells_of(full, 6400), 6400);
}

}  // namespace
}  // namespace ablate::kernel_map::dispatch_test
