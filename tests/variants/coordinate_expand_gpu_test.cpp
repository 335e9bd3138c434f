// Every variant of coordinate_expand against the oracle: kernels, scenes, orders, sizes, steps, growth,
// ranges, regions; tables and stores without room; the counts of the instrumented kernels against the
// expected ones.
#include <cstring>

#include "kernels/common/poison.h"
#include "kernels/coordinate_expand/coordinate_expand.h"
#include "tests/support/by_turns.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::coordinate_expand_gpu_test {
namespace {

using test_support::by_turns, test_support::text_of, test_support::values_of, test_support::variant_run,
    test_support::with;

const operation& expansion() { return *find_operation("coordinate_expand"); }

const char* const kernels[] = {"3", "5", "1", "2", "4", "3x3x5", "9x5x3", "13x13x1", "1x11x13", "5x25x1"};
const char* const chunks[] = {"one", "row", "all"};
const char* const growths[] = {"none", "bound", "retry"};
const char* const regions[] = {"all", "expand"};
const char* const orders[] = {"scan", "shuffled", "morton"};
// Among the operation's buffers.
constexpr std::size_t store = 4, events = 6;

class CoordinateExpandOnGpu : public test_support::variants_test {
 protected:
  void expect_right(const axis_values& at) {
    ASSERT_EQ(expansion().refuses(values_of(expansion(), at)), std::nullopt) << text_of(at);
    expect_plain_and_instrumented_right(expansion(), at, inputs_);
  }

  /// For every chunk and growth, regions by turns.
  void expect_all_right(const axis_values& at, std::size_t turn) {
    for (std::size_t c = 0; c < std::size(chunks); ++c)
      for (const char* growth : growths)
        expect_right(
            with(at, {{"chunk", chunks[c]}, {"growth", growth}, {"region", by_turns(regions, turn + c)}}));
  }

  launcher on_device() const {
    const cudaDeviceProp p = properties();
    return launcher(nullptr, {p.multiProcessorCount, p.sharedMemPerBlockOptin});
  }

  static std::vector<void*> addresses_of(const variant_run& run) {
    std::vector<void*> all;
    for (std::size_t i = 0; i < events; ++i) all.push_back(run.address(i));
    all.push_back(nullptr);
    return all;
  }

  const input_library inputs_{3, {}, {}};
};

// Long tests are split by size, kernel or scene, so that test shards are balanced.
class ExpandedSizeOnGpu : public CoordinateExpandOnGpu, public testing::WithParamInterface<const char*> {};
class ExpandedSceneOnGpu : public CoordinateExpandOnGpu,
                           public testing::WithParamInterface<std::tuple<const char*, std::size_t>> {};
class ExpandedKernelOnGpu : public CoordinateExpandOnGpu, public testing::WithParamInterface<std::size_t> {};

// Small enough for the race detector.
TEST_F(CoordinateExpandOnGpu, EveryKernelOnFewRows) {
  for (const char* growth : growths)
    for (const char* chunk : {"row", "all"})
      expect_right({{"scene", "room"}, {"rows", "300"}, {"growth", growth}, {"chunk", chunk}});
  expect_right({{"scene", "faces"}, {"rows", "64"}, {"range", "wrap"}, {"chunk", "all"}});
}

TEST_P(ExpandedSizeOnGpu, IsRightOfEveryKernel) {
  const std::string rows = GetParam();
  std::size_t turn = rows.size();
  for (const char* kernel : {"1", "3"})
    expect_all_right({{"scene", "uniform_1"}, {"rows", rows}, {"kernel", kernel}}, turn++);
  for (const char* growth : growths)
    expect_right({{"scene", "uniform_1"}, {"rows", rows}, {"kernel", "5"}, {"growth", growth}});
}

INSTANTIATE_TEST_SUITE_P(Rows, ExpandedSizeOnGpu,
                         testing::Values("0", "1", "2", "31", "32", "33", "255", "257", "1000"));

TEST_F(CoordinateExpandOnGpu, EveryRegion) {
  for (const std::size_t region : {0, 1})
    expect_all_right({{"scene", "uniform_1"}, {"rows", "257"}, {"kernel", "5"}}, region);
}

TEST_F(CoordinateExpandOnGpu, AFullSize) {
  for (const char* kernel : {"3", "5"})
    for (const char* growth : growths)
      for (const char* chunk : {"row", "all"})
        expect_right({{"rows", "100000"}, {"kernel", kernel}, {"growth", growth}, {"chunk", chunk}});
}

// One step per offset takes long with many offsets, so each of those runs with one growth.
TEST_P(ExpandedKernelOnGpu, IsRightInEveryOrder) {
  const std::size_t k = GetParam();
  const axis_values at = {{"scene", "room"}, {"rows", "3000"}, {"kernel", kernels[k]}};
  for (std::size_t g = 0; g < std::size(growths); ++g)
    for (const std::size_t c : {0, 1})
      expect_right(with(at, {{"order", by_turns(orders, k + g + c)},
                             {"growth", growths[g]},
                             {"chunk", c == 0 ? "row" : "all"}}));
  expect_right(
      with(at, {{"order", by_turns(orders, k / 3)}, {"growth", by_turns(growths, k)}, {"chunk", "one"}}));
}

// Sums out of range are dropped or wrap; then several sums, in and out of range, have one key.
TEST_P(ExpandedKernelOnGpu, IsRightAtTheFacesOfTheRange) {
  const char* const sizes[] = {"32", "600", "5000"};
  const std::size_t k = GetParam();
  for (const char* range : {"guard", "wrap"})
    for (std::size_t g = 0; g < std::size(growths); ++g)
      for (const std::size_t c : {0, 1})
        expect_right({{"scene", "faces"},
                      {"rows", by_turns(sizes, k + g + c)},
                      {"kernel", kernels[k]},
                      {"range", range},
                      {"growth", growths[g]},
                      {"chunk", c == 0 ? "row" : "all"}});
}

INSTANTIATE_TEST_SUITE_P(Kernels, ExpandedKernelOnGpu, testing::Range(std::size_t{0}, std::size(kernels)));

TEST_P(ExpandedSceneOnGpu, IsRightInEveryGrowth) {
  const std::string scene = std::get<0>(GetParam());
  const std::size_t c = std::get<1>(GetParam());
  for (std::size_t g = 0; g < std::size(growths); ++g)
    expect_right({{"scene", scene},
                  {"rows", "2500"},
                  {"order", by_turns(orders, scene.size() + c + g)},
                  {"chunk", chunks[c]},
                  {"growth", growths[g]},
                  {"region", by_turns(regions, c + g)}});
}

INSTANTIATE_TEST_SUITE_P(ScenesAndSteps, ExpandedSceneOnGpu,
                         testing::Combine(testing::Values("uniform_0.1", "uniform_5", "plane",
                                                          "oblique_plane", "shells", "room", "lidar_10cm",
                                                          "lidar_5cm_moved", "solid", "lattice_4", "random",
                                                          "adversarial"),
                                          testing::Range(std::size_t{0}, std::size(chunks))));

// Rows anywhere: some at one end of an axis, with nothing at the other, so their sums stay out of range.
TEST_F(CoordinateExpandOnGpu, RowsAnywhereInTheRange) {
  for (const char* range : {"guard", "wrap"})
    for (const char* growth : growths)
      expect_right({{"scene", "random"},
                    {"rows", "100000"},
                    {"kernel", "5"},
                    {"range", range},
                    {"growth", growth},
                    {"chunk", "all"}});
}

// The table grows from 4 slots per row to 250: many times with retries, most of them in one step.
TEST_F(CoordinateExpandOnGpu, MostSumsAreNew) {
  for (const char* growth : growths)
    for (const char* chunk : {"row", "all"})
      for (const char* rows : {"3", "5000", "50000"})
        expect_right({{"scene", "uniform_0.1"},
                      {"rows", rows},
                      {"kernel", "5"},
                      {"growth", growth},
                      {"chunk", chunk}});
}

TEST_F(CoordinateExpandOnGpu, EveryLoadUpToFullTables) {
  for (const char* load : {"5", "50", "90", "100"})
    for (const char* scene : {"solid", "room"})
      expect_right({{"scene", scene}, {"rows", "4000"}, {"load", load}});
  // 16 base rows, no other sums, 16 slots.
  expect_right({{"scene", "solid"}, {"rows", "16"}, {"kernel", "1"}, {"load", "100"}});
}

TEST_F(CoordinateExpandOnGpu, TablesAndStoresWithoutRoom) {
  for (const char* region : regions)
    for (const char* chunk : chunks)
      for (const char* scene : {"room", "uniform_1"}) {
        // In a full table every absent sum visits all slots: few rows, to keep it fast.
        const axis_values at = {{"scene", scene}, {"rows", "700"}, {"region", region}, {"chunk", chunk}};
        for (const char* store_room : {"0", "1", "50", "99"})
          expect_right(with(at, {{"store_room", store_room}}));
        for (const char* store_room : {"50", "100"})
          expect_right(with(at, {{"store_room", store_room}, {"load", "400"}}));
      }
}

// The store ends where the variant is told: the words after it stay untouched, even on overflow.
TEST_F(CoordinateExpandOnGpu, WritesItsRowsAndNothingBehindThem) {
  constexpr std::size_t words_behind = 1 << 16;
  for (const char* store_room : {"1", "60", "100"})
    for (const char* growth : growths) {
      if (growth[0] != 'n' && store_room != std::string("100")) continue;
      const axis_values at = values_of(expansion(), {{"scene", "room"},
                                                     {"rows", "3000"},
                                                     {"store_room", store_room},
                                                     {"growth", growth},
                                                     {"chunk", "all"}});
      variant_run run(expansion(), at, inputs_);
      const auto rows = run.work().input.at("store_rows").get<std::size_t>();
      const auto of_set = run.work().input.at("rows_of_set").get<std::size_t>();
      std::vector<std::uint32_t> words(4 * rows + words_behind);
      void* guarded = nullptr;
      ABLATE_CUDA_CHECK(cudaMalloc(&guarded, 4 * words.size()));
      std::vector<void*> addresses = addresses_of(run);
      addresses[store] = guarded;
      for (const variant_facts& v : expansion().variants) {
        if (!run.applies(v)) continue;
        ABLATE_CUDA_CHECK(cudaMemset(guarded, poison_byte, 4 * words.size()));
        launcher to = on_device();
        expansion().bind(v, at, inputs_, addresses)(to);
        ABLATE_CUDA_CHECK(cudaMemcpy(words.data(), guarded, 4 * words.size(), cudaMemcpyDeviceToHost));
        std::size_t unwritten = 0, behind = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
          unwritten += i < 4 * std::min(rows, of_set) && words[i] == poison_word;
          behind += i >= 4 * rows && words[i] != poison_word;
        }
        EXPECT_EQ(unwritten, 0u) << v.name << text_of(at);
        EXPECT_EQ(behind, 0u) << v.name << text_of(at);
      }
      ABLATE_CUDA_CHECK(cudaFree(guarded));
    }
}

// In a second run every sum is present: the same set, no new number.
TEST_F(CoordinateExpandOnGpu, AddsNothingWhenItIsRepeated) {
  for (const char* range : {"guard", "wrap"})
    for (const char* scene : {"room", "faces"})
      for (const char* chunk : chunks) {
        const axis_values at = values_of(
            expansion(),
            {{"scene", scene}, {"rows", "2000"}, {"range", range}, {"chunk", chunk}, {"region", "expand"}});
        variant_run run(expansion(), at, inputs_);
        for (const variant_facts& v : expansion().variants) {
          if (!run.applies(v)) continue;
          ASSERT_TRUE(run.check(v).ok) << v.name << text_of(at);
          launcher to = on_device();
          expansion().bind(v, at, inputs_, addresses_of(run))(to);
          expansion().bind_readback(v, at, inputs_, addresses_of(run))(to);
          ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
          const check_result again = run.work().check(run.download());
          EXPECT_TRUE(again.ok) << v.name << text_of(at) << ": " << again.message;
        }
      }
}

TEST_F(CoordinateExpandOnGpu, IsRightEachTime) {
  for (const char* growth : growths) {
    variant_run run(expansion(), {{"scene", "room"}, {"rows", "20000"}, {"kernel", "5"}, {"growth", growth}},
                    inputs_);
    for (const variant_facts& v : expansion().variants) {
      if (!run.applies(v)) continue;
      for (int i = 0; i < 20; ++i) {
        const check_result result = run.check(v);
        ASSERT_TRUE(result.ok) << v.name << ", " << growth << ", " << i << ": " << result.message;
      }
    }
  }
}

TEST_F(CoordinateExpandOnGpu, CountsWhatTheInputSays) {
  for (const char* scene : {"room", "uniform_1", "lidar_10cm"})
    for (const char* kernel : {"3", "5"}) {
      variant_run run(expansion(), {{"scene", scene}, {"rows", "20000"}, {"kernel", kernel}}, inputs_);
      const auto fact = [&](const char* name) { return run.work().input.at(name).get<std::int64_t>(); };
      for (const variant_facts& v : expansion().variants) {
        if (!run.applies(v)) continue;
        const auto counted = run.instrumented(v);
        const auto count = [&](const char* name) { return counted.at(name).get<std::int64_t>(); };
        const std::int64_t added = fact("rows_of_set") - fact("rows");
        EXPECT_EQ(count("candidates"), fact("candidates")) << v.name;
        EXPECT_EQ(count("new_rows"), added) << v.name;
        if (v.switches.word("insert") == "warp_deduplicated") {
          EXPECT_LE(count("insertions"), count("candidates")) << v.name;
        } else {
          EXPECT_EQ(count("insertions"), count("candidates")) << v.name;
        }
        EXPECT_GE(count("probes"), count("insertions")) << v.name;
        if (v.switches.word("insert") == "cas_first") {
          EXPECT_EQ(count("atomics"), count("probes") + added) << v.name << ": one a slot, one a number";
        } else {
          EXPECT_LT(count("atomics"), count("probes") + added) << v.name;
        }
      }
    }
}

// Neighboring rows share most of their sums; with one step's offsets in one warp, duplicates are sent once.
TEST_F(CoordinateExpandOnGpu, SendsFewerSumsToTheTableWhereAWarpHasThemTwice) {
  variant_run run(expansion(), {{"scene", "solid"}, {"rows", "20000"}, {"kernel", "3"}}, inputs_);
  for (const variant_facts& v : expansion().variants) {
    if (!run.applies(v)) continue;
    const bool deduplicates = v.switches.word("insert") == "warp_deduplicated";
    const auto counted = run.instrumented(v);
    EXPECT_EQ(counted.at("insertions").get<std::int64_t>() < counted.at("candidates").get<std::int64_t>(),
              deduplicates)
        << v.name;
  }
}

}  // namespace
}  // namespace ablate::coordinate_expand_gpu_test
