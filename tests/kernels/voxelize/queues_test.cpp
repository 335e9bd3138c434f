// How bins of cells are dealt through queues: the plan, and the whole way of a key on the host, by the same
// arithmetic as the kernel's: dealt, put aside where a queue is full, copied as a run, and counted.
#include "kernels/voxelize/queues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace ablate::voxelize::queues_test {
namespace {

problem clouds_of(std::array<int, 3> cells, int batch, std::int64_t points) {
  problem p;
  p.cells = cells;
  p.batch = batch;
  p.points_per_cloud = points;
  return p;
}

/// The cell of each point in its cloud, or −1, cloud by cloud.
using cells_of_points = std::vector<std::int64_t>;
using counts_of_cells = std::vector<std::uint16_t>;

/// Each cell of its cloud's as likely as any other, one point in eight outside.
cells_of_points scattered(const problem& p) {
  std::mt19937_64 random(7);
  cells_of_points cells(static_cast<std::size_t>(p.all_points()));
  for (std::int64_t& cell : cells)
    cell = random() % 8 == 0
               ? -1
               : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(p.cells_per_cloud()));
  return cells;
}

counts_of_cells counted_one_by_one(const problem& p, const cells_of_points& points) {
  counts_of_cells grid(static_cast<std::size_t>(p.all_cells()));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i] >= 0)
      ++grid[i / static_cast<std::size_t>(p.points_per_cloud) *
                 static_cast<std::size_t>(p.cells_per_cloud()) +
             static_cast<std::size_t>(points[i])];
  return grid;
}

struct dealt_clouds {
  counts_of_cells grid;  ///< 0xffff where nothing was written
  std::int64_t spilled = 0;
};

/// What a region that clears leaves in a grid that holds poison.
class dealing_host {
 public:
  dealing_host(const problem& p, int blocks, const cells_of_points& points)
      : plan_(p, blocks),
        points_(points),
        keys_(static_cast<std::size_t>(plan_.bins() * plan_.runs() * plan_.keys_per_queue()), 0xdead),
        lengths_(static_cast<std::size_t>(plan_.bins() * plan_.runs()), 0xdead),
        result_{counts_of_cells(static_cast<std::size_t>(p.all_cells()), 0xffff)} {}

  dealt_clouds run() {
    for (int i = 0; i < plan_.rounds; ++i) {
      const queue_round round(plan_, i);
      std::vector<std::uint32_t> spilled;
      for (int dealer = 0; dealer < plan_.dealers; ++dealer) deal(round, dealer, spilled);
      for (int bin = 0; bin < plan_.bins(); ++bin) count(round, bin);
      for (const std::uint32_t cell : spilled)
        ++result_.grid[static_cast<std::size_t>(round.first_cell) + cell];
      result_.spilled += static_cast<std::int64_t>(spilled.size());
    }
    return result_;
  }

 private:
  void deal(const queue_round& round, int dealer, std::vector<std::uint32_t>& spilled) {
    const std::int64_t share = plan_.share(round.points), first = share * dealer;
    const int here = static_cast<int>(std::max<std::int64_t>(std::min(share, round.points - first), 0));
    std::size_t of_dealer = 0;
    for (int part = 0; part < plan_.parts; ++part) {
      const int begin = std::min(part * plan_.points_per_part, here),
                end = std::min(begin + plan_.points_per_part, here);
      if (part == plan_.parts - 1) {
        ASSERT_EQ(end, here) << "points of no part";
      }
      std::vector<int> fill(static_cast<std::size_t>(plan_.bins()));
      std::vector<std::uint16_t> queues(static_cast<std::size_t>(plan_.bins() * plan_.keys_per_queue()),
                                        0xbeef);
      for (int i = begin; i < end; ++i) {
        const std::int64_t in_cloud = points_[static_cast<std::size_t>(round.first_point + first + i)];
        const unsigned cloud = round.cloud_of(plan_, first + i);
        ASSERT_LT(cloud, static_cast<unsigned>(round.clouds));
        const unsigned cell =
            static_cast<unsigned>(round.cloud_at(plan_, cloud)) + static_cast<unsigned>(in_cloud);
        if (in_cloud < 0 || cell >= static_cast<unsigned>(round.cells)) continue;
        const int bin = plan_.bin_of(static_cast<int>(cell));
        const int place = fill[static_cast<std::size_t>(bin)]++;
        if (place < plan_.keys_per_queue()) {
          queues[static_cast<std::size_t>(bin * plan_.keys_per_queue() + place)] =
              static_cast<std::uint16_t>(plan_.place_of(static_cast<int>(cell)));
        } else {
          spilled.push_back(cell);
          ++of_dealer;
        }
      }
      for (int bin = 0; bin < plan_.bins(); ++bin) write(bin, part, dealer, fill, queues);
    }
    ASSERT_LE(of_dealer, static_cast<std::size_t>(plan_.points_per_dealer()));
  }

  void write(int bin, int part, int dealer, const std::vector<int>& fill,
             const std::vector<std::uint16_t>& queues) {
    const auto run = static_cast<std::size_t>(plan_.run(bin, part, dealer));
    const int keys = std::min(fill[static_cast<std::size_t>(bin)], plan_.keys_per_queue());
    const int vectors = (keys + keys_per_vector - 1) / keys_per_vector;
    ASSERT_LE(vectors, plan_.vectors_per_queue);
    lengths_[run] = static_cast<std::uint16_t>(vectors);
    for (int k = 0; k < vectors * keys_per_vector; k += 2) {
      const auto at = static_cast<std::size_t>(bin * plan_.keys_per_queue() + k);
      const std::uint32_t two = padded_keys(static_cast<std::uint32_t>(queues[at + 1]) << 16 | queues[at],
                                            keys - k, static_cast<std::uint32_t>(plan_.cells_per_bin));
      const std::size_t to =
          run * static_cast<std::size_t>(plan_.keys_per_queue()) + static_cast<std::size_t>(k);
      keys_[to] = static_cast<std::uint16_t>(two);
      keys_[to + 1] = static_cast<std::uint16_t>(two >> 16);
    }
  }

  void count(const queue_round& round, int bin) {
    std::vector<std::uint16_t> counts(static_cast<std::size_t>(plan_.cells_per_bin) + 1);
    for (int run = 0; run < plan_.runs(); ++run) {
      const auto at = static_cast<std::size_t>(plan_.run(bin, 0, 0) + run);
      for (int k = 0; k < lengths_[at] * keys_per_vector; ++k) {
        const std::uint16_t place =
            keys_[at * static_cast<std::size_t>(plan_.keys_per_queue()) + static_cast<std::size_t>(k)];
        ASSERT_LE(place, plan_.cells_per_bin);
        ++counts[place];
      }
    }
    for (int place = 0; place < plan_.cells_per_bin; ++place) {
      const int cell = plan_.cell_of(bin, place);
      if (cell >= round.cells) continue;
      std::uint16_t& written = result_.grid[static_cast<std::size_t>(round.first_cell + cell)];
      ASSERT_EQ(written, 0xffff) << "written twice: cell " << cell << " of a round";
      written = counts[static_cast<std::size_t>(place)];
    }
  }

  queue_plan plan_;
  const cells_of_points& points_;
  std::vector<std::uint16_t> keys_, lengths_;
  dealt_clouds result_;
};

void expect_counted(const problem& p, int blocks, const cells_of_points& points, bool spills) {
  const dealt_clouds dealt = dealing_host(p, blocks, points).run();
  EXPECT_EQ(dealt.grid, counted_one_by_one(p, points));
  EXPECT_EQ(dealt.spilled > 0, spills) << dealt.spilled;
}

TEST(VoxelizeQueues, CountEveryPointOnce) {
  for (const std::int64_t points : {1, 3, 1025, 60001})
    for (const int blocks : {1, 3, 108, 132}) {
      const problem p = clouds_of({33, 31, 40}, 1, points);
      expect_counted(p, blocks, scattered(p), false);
    }
}

TEST(VoxelizeQueues, CountBatchesWithAnEmptyCloudAmongThem) {
  const problem p = clouds_of({9, 7, 5}, 11, 3001);
  cells_of_points points = scattered(p);
  std::fill_n(points.begin() + 4 * 3001, 3001, -1);
  expect_counted(p, 108, points, false);
}

// A bin gets no points at all, another those of two.
TEST(VoxelizeQueues, CountEmptyRegions) {
  const problem p = clouds_of({64, 64, 64}, 1, 100000);
  cells_of_points points = scattered(p);
  for (std::int64_t& cell : points)
    if (cell >= 0 && cell / cells_per_row % 128 == 5) cell += cells_per_row;
  expect_counted(p, 132, points, false);
}

// Clouds that end within a round of 2^24 cells.
TEST(VoxelizeQueues, CountInRoundsThatCutClouds) {
  const problem p = clouds_of({192, 192, 192}, 3, 20001);
  ASSERT_EQ(queue_plan(p, 132).rounds, 2);
  expect_counted(p, 132, scattered(p), false);
}

TEST(VoxelizeQueues, PutAsideWhatAQueueHasNoRoomFor) {
  const problem p = clouds_of({32, 32, 64}, 2, 50000);
  cells_of_points points = scattered(p);
  for (std::size_t i = 0; i < points.size(); i += 2) points[i] = 777;
  expect_counted(p, 5, points, true);
}

TEST(VoxelizeQueues, DealAShareInPartsThatFitTheQueues) {
  const problem p = clouds_of({32, 32, 64}, 1, 200000);
  ASSERT_GT(queue_plan(p, 2).parts, 2);
  expect_counted(p, 2, scattered(p), false);
}

TEST(VoxelizeQueues, PadKeysBehindTheLast) {
  constexpr std::uint32_t two = 0x00070003, none = 0x1000;
  EXPECT_EQ(padded_keys(two, 2, none), two);
  EXPECT_EQ(padded_keys(two, 8, none), two);
  EXPECT_EQ(padded_keys(two, 1, none), 0x10000003u);
  EXPECT_EQ(padded_keys(two, 0, none), 0x10001000u);
  EXPECT_EQ(padded_keys(two, -6, none), 0x10001000u);
}

// 3.4 M uniform points on Hopper: one part, a bin for each dealer, queues with room to spare.
TEST(VoxelizeQueues, AreMadeForUniformClouds) {
  const queue_plan plan(clouds_of({128, 128, 128}, 1, 3375000), 132);
  EXPECT_EQ(plan.bins(), 128);
  EXPECT_EQ(plan.cells_per_bin, max_cells_per_bin);
  EXPECT_EQ(plan.dealers, 128);
  EXPECT_EQ(plan.parts, 1);
  EXPECT_EQ(plan.rounds, 1);
  const double mean = static_cast<double>(plan.points_per_dealer()) / plan.bins();
  EXPECT_GT(plan.keys_per_queue(), mean + 6 * std::sqrt(mean));
}

TEST(VoxelizeQueues, FitIntoSharedMemoryAndIntoTheirScratch) {
  for (const auto& grid : std::vector<std::array<int, 3>>{{1, 1, 1},
                                                          {4, 4, 4},
                                                          {33, 7, 5},
                                                          {64, 64, 64},
                                                          {128, 128, 128},
                                                          {256, 256, 256},
                                                          {1290, 1290, 1290}})
    for (const int batch : {1, 3, 2000})
      for (const std::int64_t points : {0, 1, 5000, 200000}) {
        const problem p = clouds_of(grid, batch, points);
        const std::size_t most = queue_bytes(p);
        for (const int blocks : {1, 77, 108, 132}) {
          const queue_plan plan(p, blocks);
          ASSERT_LE(plan.vectors_per_queue * 16 << plan.log2_bins, queue_bytes_of_block);
          ASSERT_EQ(plan.vectors_per_queue % 2, 1);
          ASSERT_LE(plan.bins(), max_bins);
          ASSERT_LE(plan.cells_per_bin, max_cells_per_bin);
          ASSERT_LE(plan.dealers, blocks);
          ASSERT_GE(std::int64_t{plan.parts} * plan.points_per_part, plan.points_per_dealer());
          ASSERT_LE(queue_scratch(p, plan).bytes, most);
          const queue_round last(plan, plan.rounds - 1);
          ASSERT_EQ(last.first_cell + last.cells, p.all_cells());
          ASSERT_EQ(last.first_point + last.points, p.all_points());
        }
      }
}

TEST(VoxelizeQueues, RefuseMorePointsThanTheyNumber) {
  EXPECT_THROW(queue_plan(clouds_of({4, 4, 4}, 65535, 65538), 132), std::invalid_argument);
}

}  // namespace
}  // namespace ablate::voxelize::queues_test
