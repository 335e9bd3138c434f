// Every variant of kernel_map against the oracle: each kernel, scene, shift, stride, size, order, range and
// region; lists that are too short; the counts of the instrumented kernels against the expected ones.
#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "kernels/common/kernel_launch.h"
#include "kernels/common/poison.h"
#include "kernels/kernel_map/kernel_map.h"
#include "tests/support/by_turns.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/named_variant.h"
#include "tests/support/point_files.h"
#include "tests/support/variant_run.cuh"

namespace ablate::kernel_map_gpu_test {
namespace {

using test_support::by_turns, test_support::text_of, test_support::values_of, test_support::variant_run;

const operation& maps() { return *find_operation("kernel_map"); }

const char* const kernels[] = {"3", "5",     "7",     "9",       "11",      "1",     "2",
                               "4", "3x3x5", "9x5x3", "13x13x1", "1x11x13", "5x25x1"};
const char* const scenes[] = {"uniform_0.1", "uniform_5",  "plane",           "oblique_plane", "shells",
                              "room",        "lidar_10cm", "lidar_5cm_moved", "solid",         "lattice_4"};
const char* const orders[] = {"scan", "shuffled", "morton"};
// Among the operation's buffers.
constexpr std::size_t ends = 2, status = 4, in_rows = 5, out_rows = 6, events = 8, tables = 9;

class KernelMapOnGpu : public test_support::variants_test {
 protected:
  void expect_every_variant_right(const axis_values& at, const input_library& inputs) {
    ASSERT_EQ(maps().refuses(values_of(maps(), at)), std::nullopt) << text_of(at);
    expect_plain_and_instrumented_right(maps(), at, inputs);
  }

  /// For the variants with cells of voxels.
  void expect_those_with_cells_right(const axis_values& at) {
    variant_run run(maps(), at, inputs_);
    for (const variant_facts& v : maps().variants) {
      const bool has_cells =
          v.switches.has("coarse_stride") || (v.switches.has("prune") && v.switches.word("prune") != "none");
      if (!has_cells || !run.applies(v)) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << text_of(at) << ": " << result.message;
    }
  }

  const input_library inputs_ = input_library(5, {}, {});
};

// Small enough for the race detector: every kernel, with even and odd sizes, and several blocks of out rows
// and of offsets.
TEST_F(KernelMapOnGpu, EveryKernelOnFewRows) {
  for (const char* kernel : {"3", "5", "4", "3x3x5"})
    for (const char* stride : {"1", "2"})
      expect_every_variant_right({{"scene", "room"}, {"rows", "700"}, {"kernel", kernel}, {"stride", stride}},
                                 inputs_);
  expect_every_variant_right({{"scene", "solid"}, {"rows", "300"}, {"kernel", "7"}, {"range", "wrap"}},
                             inputs_);
}

TEST_F(KernelMapOnGpu, EveryKernelStrideAndDilation) {
  const char* const either[] = {"1", "2"};
  const char* const scenes_by_turns[] = {"room", "uniform_5"};
  for (std::size_t k = 0; k < std::size(kernels); ++k)
    for (std::size_t s = 0; s < std::size(either); ++s)
      for (std::size_t d = 0; d < std::size(either); ++d)
        expect_every_variant_right({{"scene", by_turns(scenes_by_turns, k + s + d)},
                                    {"rows", "5000"},
                                    {"kernel", kernels[k]},
                                    {"stride", either[s]},
                                    {"dilation", either[d]}},
                                   inputs_);
}

TEST_F(KernelMapOnGpu, EverySceneAndOrder) {
  const char* const odd[] = {"3", "5", "7"};
  const char* const strides[] = {"1", "2"};
  for (std::size_t s = 0; s < std::size(scenes); ++s)
    for (std::size_t k = 0; k < std::size(odd); ++k)
      for (std::size_t by = 0; by < std::size(strides); ++by)
        expect_every_variant_right({{"scene", scenes[s]},
                                    {"rows", "8000"},
                                    {"kernel", odd[k]},
                                    {"stride", strides[by]},
                                    {"order", by_turns(orders, s + k + by)}},
                                   inputs_);
}

// Tests of the hierarchical rule: a pair must be found wherever the row is in its cell. One test per column
// of places, so that test shards are balanced.
class KernelMapInItsCellOnGpu : public KernelMapOnGpu, public testing::WithParamInterface<int> {};

TEST_P(KernelMapInItsCellOnGpu, EveryPlaceInACellOfFourVoxels) {
  const int x = GetParam() % 4, y = GetParam() / 4;
  for (int z = 0; z < 4; ++z) {
    const std::string shift = std::to_string(x + 8 * y + 64 * z);
    for (const char* kernel : {"3", "5", "7", "9", "3x3x5"})
      expect_those_with_cells_right(
          {{"scene", "uniform_5"}, {"rows", "1500"}, {"kernel", kernel}, {"shift", shift}});
    expect_those_with_cells_right(
        {{"scene", "room"}, {"rows", "1500"}, {"kernel", "4"}, {"stride", "2"}, {"shift", shift}});
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, KernelMapInItsCellOnGpu, testing::Range(0, 16));

// Along each axis and along all three.
TEST_F(KernelMapOnGpu, EveryPlaceInACellOfEightVoxels) {
  for (int place = 0; place < 8; ++place)
    for (const int shift : {place, 8 * place, 64 * place, 73 * place})
      for (const char* kernel : {"5", "7", "11"})
        expect_those_with_cells_right(
            {{"scene", "uniform_5"}, {"rows", "1500"}, {"kernel", kernel}, {"shift", std::to_string(shift)}});
}

TEST_F(KernelMapOnGpu, CornerSizes) {
  for (const char* rows : {"1", "31", "33", "255", "257", "1000", "20011"})
    for (const char* kernel : {"1", "3", "7"})
      for (const char* stride : {"1", "2"})
        for (const char* order : orders)
          expect_every_variant_right(
              {{"scene", "room"}, {"rows", rows}, {"kernel", kernel}, {"stride", stride}, {"order", order}},
              inputs_);
}

TEST_F(KernelMapOnGpu, NoRows) {
  for (const char* kernel : {"1", "3", "7", "13x13x1"})
    for (const char* stride : {"1", "2"})
      for (const char* region : {"all", "build", "map", "cells_kept"})
        expect_every_variant_right(
            {{"scene", "empty"}, {"rows", "0"}, {"kernel", kernel}, {"stride", stride}, {"region", region}},
            inputs_);
}

TEST_F(KernelMapOnGpu, EveryRegionAndLoad) {
  for (const char* region : {"all", "build", "map", "cells_kept"})
    for (const char* load : {"5", "25", "50", "80", "95"})
      for (const char* stride : {"1", "2"})
        expect_every_variant_right({{"scene", "lidar_10cm"},
                                    {"rows", "7700"},
                                    {"kernel", "5"},
                                    {"stride", stride},
                                    {"region", region},
                                    {"load", load}},
                                   inputs_);
}

// At the ends of the range there is no row, or coordinates wrap; in batches 0, 1, 510 and 511.
TEST_F(KernelMapOnGpu, FacesOfTheRange) {
  for (const char* kernel : kernels)
    for (const char* range : {"guard", "wrap"})
      for (const char* stride : {"1", "2"})
        expect_every_variant_right(
            {{"scene", "faces"}, {"rows", "2048"}, {"kernel", kernel}, {"range", range}, {"stride", stride}},
            inputs_);
}

TEST_F(KernelMapOnGpu, KeysOfOneHomeSlotAndKeysAnywhere) {
  for (const char* scene : {"adversarial", "random"})
    for (const char* kernel : {"3", "5"})
      for (const char* range : {"guard", "wrap"})
        expect_every_variant_right({{"scene", scene}, {"rows", "2000"}, {"kernel", kernel}, {"range", range}},
                                   inputs_);
}

TEST_F(KernelMapOnGpu, ManySeedsAndAFullSize) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    expect_every_variant_right({{"scene", "uniform_1"}, {"rows", "6000"}, {"kernel", "5"}},
                               input_library(seed, {}, {}));
  for (const char* kernel : {"3", "7"})
    for (const char* order : orders)
      expect_every_variant_right({{"kernel", kernel}, {"order", order}}, inputs_);
}

// Twenty runs of the same case: right whatever the order of the atomics.
TEST_F(KernelMapOnGpu, IsRightEachTime) {
  for (const char* kernel : {"3", "5"}) {
    variant_run run(maps(), {{"scene", "room"}, {"rows", "20011"}, {"kernel", kernel}}, inputs_);
    for (const variant_facts& v : maps().variants) {
      if (!run.applies(v)) continue;
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(run.check(v).ok) << v.name;
      EXPECT_TRUE(run.check(v, false, 3).ok) << v.name << ", launched again on its own remains";
    }
  }
}

// Bit for bit; the largest has more blocks per offset than are scanned at once.
TEST_F(KernelMapOnGpu, OrderedListsAreTheSameEachTime) {
  const variant_facts* const ordered = maps().find_variant("flat_deterministic");
  ASSERT_NE(ordered, nullptr);
  for (const axis_values& at : {axis_values{{"scene", "room"}, {"rows", "20011"}},
                                axis_values{{"scene", "solid"}, {"rows", "20011"}, {"kernel", "7"}},
                                axis_values{{"scene", "lidar_10cm"}, {"rows", "1000"}, {"stride", "2"}},
                                axis_values{{"scene", "uniform_1"}, {"rows", "1100000"}}}) {
    variant_run run(maps(), at, inputs_);
    const auto pairs = run.work().input.at("pairs").get<std::size_t>();
    std::vector<std::int32_t> first[2];
    for (int i = 0; i < 5; ++i) {
      const check_result result = run.check(*ordered);
      EXPECT_TRUE(result.ok) << text_of(at) << ": " << result.message;
      for (const int list : {0, 1}) {
        std::vector<std::int32_t> rows(pairs);
        ABLATE_CUDA_CHECK(cudaMemcpy(rows.data(), run.address(list == 0 ? in_rows : out_rows), 4 * pairs,
                                     cudaMemcpyDeviceToHost));
        if (i == 0) first[list] = rows;
        EXPECT_TRUE(rows == first[list]) << text_of(at) << ", run " << i;
      }
    }
  }
}

TEST_F(KernelMapOnGpu, WhateverTheHostDoes) {
  for (const char* host : {"end", "count", "stages", "graph"})
    for (const char* stride : {"1", "2"})
      for (const char* list_room : {"10", "100"})
        expect_every_variant_right({{"scene", "room"},
                                    {"rows", "3000"},
                                    {"stride", stride},
                                    {"list_room", list_room},
                                    {"host", host}},
                                   inputs_);
}

// Also for part of the work, with a cell table left by an earlier map; and relaunched on what it left.
TEST_F(KernelMapOnGpu, WhateverTheHostDoesInEveryRegion) {
  for (const char* region : {"all", "map", "cells_kept"})
    for (const char* host : {"absent", "end", "count", "stages", "graph"})
      for (const char* kernel : {"3", "7"}) {
        const axis_values at = {
            {"scene", "room"}, {"rows", "3000"}, {"kernel", kernel}, {"region", region}, {"host", host}};
        variant_run run(maps(), at, inputs_);
        for (const char* name :
             {"flat", "hierarchical", "hierarchical+coarse_stride=2", "hierarchical_by_cell",
              "hierarchical_bitmap_symmetric", "cells", "cells_by_line", "cells_symmetric"}) {
          const variant_facts* const v = maps().find_variant(name);
          ASSERT_NE(v, nullptr) << name;
          if (!run.applies(*v)) continue;
          for (const int times : {1, 3}) {
            const check_result result = run.check(*v, false, times);
            EXPECT_TRUE(result.ok) << name << text_of(at) << ", " << times << " launches: " << result.message;
          }
        }
      }
}

TEST_F(KernelMapOnGpu, EveryOutput) {
  for (const char* output : {"dense", "masks", "reverse"}) {
    const auto right = [&](axis_values at) {
      at.set("output", output);
      expect_every_variant_right(at, inputs_);
    };
    for (const char* kernel : {"1", "3", "4", "7", "3x3x5"})
      for (const char* stride : {"1", "2"}) {
        for (const char* rows : {"1", "31", "33", "700", "5001"})
          right({{"scene", "room"}, {"rows", rows}, {"kernel", kernel}, {"stride", stride}});
        right({{"scene", "empty"}, {"rows", "0"}, {"kernel", kernel}, {"stride", stride}});
      }
    for (const char* range : {"guard", "wrap"})
      right({{"scene", "faces"}, {"rows", "2048"}, {"kernel", "5"}, {"range", range}});
    for (const char* region : {"build", "map", "cells_kept"})
      right({{"scene", "lidar_10cm"}, {"rows", "3000"}, {"kernel", "5"}, {"region", region}});
    for (const char* host : {"end", "stages", "graph"})
      right({{"scene", "room"}, {"rows", "3000"}, {"kernel", "5"}, {"host", host}});
  }
}

TEST_F(KernelMapOnGpu, HalfOfTheLists) {
  for (const char* kernel : {"1", "3", "7", "9x5x3"})
    for (const char* rows : {"1", "31", "33", "5001"})
      expect_every_variant_right(
          {{"scene", "room"}, {"rows", rows}, {"kernel", kernel}, {"lists", "first_half"}}, inputs_);
  for (const char* range : {"guard", "wrap"})
    expect_every_variant_right(
        {{"scene", "faces"}, {"rows", "2048"}, {"kernel", "5"}, {"range", range}, {"lists", "first_half"}},
        inputs_);
}

// Invariants between the tables: one bit per pair, and the reverse table inverts.
TEST_F(KernelMapOnGpu, TablesAgreeWithEachOther) {
  for (const char* output : {"masks", "reverse"})
    for (const char* stride : {"1", "2"}) {
      variant_run run(
          maps(),
          {{"scene", "room"}, {"rows", "3001"}, {"kernel", "5"}, {"stride", stride}, {"output", output}},
          inputs_);
      const auto fact = [&](const char* name) { return run.work().input.at(name).get<std::size_t>(); };
      const std::size_t offsets = fact("offsets"), outs = fact("outs"), rows = fact("points");
      const std::size_t behind = output == std::string("masks") ? (offsets + 31) / 32 * outs : offsets * rows;
      int checked = 0;
      for (const variant_facts& v : maps().variants) {
        if (!run.applies(v)) continue;
        ASSERT_TRUE(run.check(v).ok) << v.name;
        std::vector<std::int32_t> words(offsets * outs + behind);
        ABLATE_CUDA_CHECK(
            cudaMemcpy(words.data(), run.address(tables), 4 * words.size(), cudaMemcpyDeviceToHost));
        const std::int32_t *const dense = words.data(), *const other = dense + offsets * outs;
        std::size_t pairs = 0, wrong = 0;
        for (std::size_t q = 0; q < offsets; ++q)
          for (std::size_t j = 0; j < outs; ++j) {
            const std::int32_t row = dense[q * outs + j];
            pairs += row >= 0;
            if (output == std::string("masks"))
              wrong += (static_cast<std::uint32_t>(other[q / 32 * outs + j]) >> q % 32 & 1) != (row >= 0);
            else if (row >= 0)
              wrong += other[q * rows + static_cast<std::size_t>(row)] != static_cast<std::int32_t>(j);
          }
        EXPECT_EQ(pairs, fact("pairs")) << v.name;
        EXPECT_EQ(wrong, 0u) << v.name << ", " << output;
        ++checked;
      }
      EXPECT_GE(checked, 4);
    }
}

// What a rule chooses for each of these workloads is asked of the rule, and what was made is told by the
// kernels: those of the variant chosen, after the two that count cells.
TEST_F(KernelMapOnGpu, DispatchMakesTheMapOfWhatItChooses) {
  constexpr std::size_t kernels_of_survey = 2;
  const auto is_same = [](const kernel_launch& a, const kernel_launch& b) {
    return a.function == b.function && a.grid.x == b.grid.x && a.grid.y == b.grid.y && a.block.x == b.block.x;
  };
  std::set<std::string> chosen;
  bool has_counted_cells = false;
  for (const axis_values& at :
       {axis_values{{"scene", "room"}, {"rows", "200000"}, {"kernel", "7"}},
        {{"scene", "room"}, {"rows", "350000"}, {"kernel", "4"}},
        {{"scene", "lidar_10cm"}, {"rows", "100000"}, {"kernel", "7"}},
        {{"scene", "uniform_0.1"}, {"rows", "100000"}, {"kernel", "7"}, {"stride", "2"}},
        {{"scene", "solid"}, {"rows", "100000"}, {"kernel", "3"}, {"stride", "2"}},
        {{"scene", "room"}, {"rows", "50000"}, {"kernel", "3"}},
        {{"scene", "room"}, {"rows", "33"}, {"kernel", "3"}},
        {{"scene", "empty"}, {"rows", "0"}, {"kernel", "5"}}})
    for (const char* host : {"end", "count", "stages"}) {
      axis_values with_host = at;
      with_host.set("host", host);
      variant_run run(maps(), with_host, inputs_);
      for (const std::string rule : {"published", "measured"}) {
        const std::string name = "dispatch_" + rule;
        const auto choice = run.work().input.at("dispatch").at(rule).get<std::string>();
        chosen.insert(choice);
        const variant_facts* const v = maps().find_variant(name);
        const variant_facts* const made_by = maps().find_variant(choice);
        ASSERT_NE(v, nullptr);
        ASSERT_NE(made_by, nullptr) << choice;
        ASSERT_TRUE(run.applies(*v)) << name;
        const std::vector<kernel_launch> made = run.launched(*v), wanted = run.launched(*made_by);
        const bool counts = rule == "measured" && made.size() == wanted.size() + kernels_of_survey;
        has_counted_cells |= counts;
        EXPECT_TRUE(made.size() == wanted.size() || counts)
            << name << text_of(with_host) << ": " << made.size() << " kernels, " << wanted.size() << " of "
            << choice;
        EXPECT_TRUE(made.size() >= wanted.size() &&
                    std::equal(wanted.rbegin(), wanted.rend(), made.rbegin(), is_same))
            << name << text_of(with_host) << " launches other kernels than " << choice;
        for (const int times : {1, 3}) {
          const check_result result = run.check(*v, false, times);
          EXPECT_TRUE(result.ok) << name << text_of(with_host) << ": " << result.message;
        }
      }
    }
  EXPECT_GE(chosen.size(), 4u) << "these workloads are to be unlike";
  EXPECT_TRUE(has_counted_cells) << "cells are to be counted for one of these workloads";
}

TEST_F(KernelMapOnGpu, PointsOfAFile) {
  std::vector<float> xyz;
  for (int i = 0; i < 3000; ++i)
    for (const int step : {1, 7, 49}) xyz.push_back(static_cast<float>(i / step % 20) * 0.11f);
  test_support::point_files files;
  const input_library inputs = files.library_of("street", xyz);
  for (const char* kernel : {"3", "7"})
    for (const char* stride : {"1", "2"})
      expect_every_variant_right({{"scene", "street"}, {"rows", "0"}, {"kernel", kernel}, {"stride", stride}},
                                 inputs);
}

/// Separate lists, longer than the variant is told: the words after them must stay untouched.
class guarded_lists {
 public:
  explicit guarded_lists(std::size_t pairs) : pairs_(pairs) {
    for (void*& list : lists_) {
      ABLATE_CUDA_CHECK(cudaMalloc(&list, bytes()));
      ABLATE_CUDA_CHECK(cudaMemset(list, poison_byte, bytes()));
    }
  }
  ~guarded_lists() {
    for (void* list : lists_) cudaFree(list);
  }
  guarded_lists(const guarded_lists&) = delete;
  guarded_lists& operator=(const guarded_lists&) = delete;

  void* address(int list) const { return lists_[list]; }
  std::vector<std::uint32_t> contents(int list) const {
    std::vector<std::uint32_t> words(bytes() / 4);
    ABLATE_CUDA_CHECK(cudaMemcpy(words.data(), lists_[list], bytes(), cudaMemcpyDeviceToHost));
    return words;
  }

 private:
  static constexpr std::size_t behind = 4096;
  std::size_t bytes() const { return 4 * (pairs_ + behind); }
  std::size_t pairs_;
  void* lists_[2] = {};
};

// Every place of a list up to the capacity is written, with a valid row, and none beyond.
TEST_F(KernelMapOnGpu, WritesItsListsAndNothingBehindThem) {
  for (const char* list_room : {"0", "1", "7", "20", "100"})
    for (const char* stride : {"1", "2"})
      for (const char* kernel : {"3", "7"}) {
        const axis_values given = {{"scene", "room"},
                                   {"rows", "3000"},
                                   {"kernel", kernel},
                                   {"stride", stride},
                                   {"list_room", list_room}};
        const axis_values at = values_of(maps(), given);
        variant_run run(maps(), at, inputs_);
        const auto fact = [&](const char* name) { return run.work().input.at(name).get<std::size_t>(); };
        const std::size_t capacity = maps().buffers(at, inputs_)[in_rows].bytes / 4, pairs = fact("pairs");
        for (const variant_facts& v : maps().variants) {
          if (!run.applies(v)) continue;
          // As the harness checks it: status, ends and the lists that fit.
          const check_result result = run.check(v);
          EXPECT_TRUE(result.ok) << v.name << text_of(given) << ": " << result.message;

          const guarded_lists lists(capacity);
          std::vector<void*> addresses;
          for (std::size_t i = 0; i < events; ++i) addresses.push_back(run.address(i));
          addresses.push_back(nullptr);
          addresses.push_back(run.address(tables));
          addresses[in_rows] = lists.address(0);
          addresses[out_rows] = lists.address(1);
          const cudaDeviceProp p = properties();
          launcher to(nullptr, {p.multiProcessorCount, p.sharedMemPerBlockOptin});
          maps().bind(v, at, inputs_, addresses)(to);
          ABLATE_CUDA_CHECK(cudaDeviceSynchronize());

          std::int32_t found_status = -1;
          ABLATE_CUDA_CHECK(
              cudaMemcpy(&found_status, run.address(status), sizeof found_status, cudaMemcpyDeviceToHost));
          EXPECT_EQ(found_status, pairs > capacity ? kernel_map::map_overflow : kernel_map::map_ok) << v.name;
          std::vector<std::int64_t> list_ends(fact("offsets") + 1, -1);
          ABLATE_CUDA_CHECK(
              cudaMemcpy(list_ends.data(), run.address(ends), 8 * list_ends.size(), cudaMemcpyDeviceToHost));
          EXPECT_EQ(list_ends.back(), static_cast<std::int64_t>(pairs)) << v.name;
          const std::size_t rows[] = {fact("points"), fact("outs")};
          const bool slabs = v.switches.has("lists") && v.switches.word("lists") == "slabs";
          for (int list = 0; list < 2; ++list) {
            const std::vector<std::uint32_t> words = lists.contents(list);
            std::size_t no_rows = 0, behind = 0;
            for (std::size_t q = 0; q + 1 < list_ends.size(); ++q) {
              const auto first = static_cast<std::size_t>(list_ends[q]);
              const std::size_t begin = slabs ? q * fact("outs") : first;
              const std::size_t end = begin + static_cast<std::size_t>(list_ends[q + 1]) - first;
              for (std::size_t i = begin; i < std::min(end, capacity); ++i) no_rows += words[i] >= rows[list];
            }
            for (std::size_t i = capacity; i < words.size(); ++i) behind += words[i] != poison_word;
            EXPECT_EQ(no_rows, 0u) << v.name << text_of(given);
            EXPECT_EQ(behind, 0u) << v.name << text_of(given);
          }
        }
      }
}

/// How often a variant without pruning searches every offset; 0 for others.
int searches_of(const std::string& variant) {
  for (const char* once : {"flat", "flat_128x8", "query_loop", "direct_write"})
    if (variant == once) return 1;
  if (variant == "count_scatter" || variant == "register_held") return 2;
  return variant == "query_count_scatter" ? 3 : 0;
}

// The instrumented kernels count the oracle's pairs; each search of an offset reads at least one slot, and
// on average fewer than two in a table this empty.
TEST_F(KernelMapOnGpu, CountsWhatTheInputSays) {
  for (const char* scene : {"uniform_1", "room", "lidar_10cm", "solid"})
    for (const char* kernel : {"3", "5", "7"}) {
      const axis_values at = {{"scene", scene}, {"rows", "40000"}, {"kernel", kernel}};
      variant_run run(maps(), at, inputs_);
      const auto fact = [&](const char* name) { return run.work().input.at(name).get<double>(); };
      for (const variant_facts& v : maps().variants) {
        if (!run.applies(v)) continue;
        const auto counted = run.instrumented(v);
        if (counted.is_null()) continue;
        EXPECT_EQ(counted.at("queries"), 40000) << v.name;
        EXPECT_NEAR(counted.at("pairs_per_query").get<double>(), fact("pairs_per_query"), 1e-9) << v.name;
        const double searches = searches_of(v.name) * fact("offsets");
        if (searches == 0) continue;
        const auto looked = counted.at("probes_per_query").get<double>();
        EXPECT_GE(looked, searches * (1 - 1e-9)) << v.name << text_of(at);
        EXPECT_LT(looked, 2 * searches) << v.name << text_of(at);
      }
    }
}

// Prunings with the same cells count the same survivors, with larger cells more; what each looks up is what
// its idea leaves, in slots of tables this empty.
TEST_F(KernelMapOnGpu, PrunedSearchesLookUpWhatTheirIdeaLeaves) {
  for (const char* scene : {"uniform_1", "room", "lidar_10cm", "solid"})
    for (const char* kernel : {"3", "5", "7"}) {
      const axis_values at = {{"scene", scene}, {"rows", "40000"}, {"kernel", kernel}};
      SCOPED_TRACE(text_of(at));
      variant_run run(maps(), at, inputs_);
      const auto fact = [&](const char* name) { return run.work().input.at(name).get<double>(); };
      const auto counted = [&](const char* variant, const char* figure) {
        return run.instrumented(test_support::named_variant(maps(), variant)).at(figure).get<double>();
      };
      const auto expect_slots = [](double looked, double lookups, const char* variant) {
        EXPECT_GE(looked, lookups * (1 - 1e-9)) << variant;
        EXPECT_LT(looked, 2 * lookups) << variant;
      };
      const double share = counted("hierarchical", "survivor_share"), offsets = fact("offsets");
      EXPECT_NEAR(share, fact("survivor_share"), 0.05);
      for (const char* variant : {"hierarchical", "hierarchical_exact_box", "hierarchical_by_cell"}) {
        EXPECT_EQ(counted(variant, "survivor_share"), share) << variant;
        expect_slots(counted(variant, "probes_per_query"), share * offsets, variant);
      }
      EXPECT_EQ(counted("hierarchical_bitmap", "survivor_share"), share);
      EXPECT_GE(counted("hierarchical+coarse_stride=8", "survivor_share"), share);
      if (run.applies(test_support::named_variant(maps(), "hierarchical+coarse_stride=2"))) {
        EXPECT_LE(counted("hierarchical+coarse_stride=2", "survivor_share"), share);
      }
      EXPECT_LT(counted("hierarchical_symmetric", "survivor_share"), share);

      const double box = fact("coarse_cells_around"), pairs = fact("pairs_per_query");
      const double whole_box = counted("hierarchical", "coarse_probes_per_query");
      expect_slots(whole_box, box, "hierarchical");
      expect_slots(counted("hierarchical_by_cell", "coarse_probes_per_query"), box, "hierarchical_by_cell");
      expect_slots(counted("hierarchical_symmetric", "coarse_probes_per_query"), box * 2 / 3,
                   "hierarchical_symmetric");
      const double own_box = counted("hierarchical_exact_box", "coarse_probes_per_query");
      EXPECT_LT(own_box, whole_box);
      EXPECT_GE(own_box, 1);
      EXPECT_LT(counted("hierarchical_bitmap", "coarse_probes_per_query"), 2 * own_box);
      expect_slots(counted("hierarchical_bitmap", "probes_per_query"), pairs, "hierarchical_bitmap");
      expect_slots(counted("hierarchical_bitmap_symmetric", "probes_per_query"), (pairs - 1) / 2,
                   "hierarchical_bitmap_symmetric");
      // Once per cell, which knows its own number.
      const double cells = fact("coarse_cells_per_row");
      expect_slots(counted("cells_by_line", "coarse_probes_per_query"), (box - 1) * cells, "cells_by_line");
      for (const char* variant : {"cells_by_line_symmetric", "cells_symmetric"})
        expect_slots(counted(variant, "coarse_probes_per_query"), (box * 2 / 3 - 1) * cells, variant);
    }
}

}  // namespace
}  // namespace ablate::kernel_map_gpu_test
