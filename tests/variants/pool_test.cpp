// The operation pool on the host: axes, regions, inputs, properties of the index, check and figures, whatever
// the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "harness/registry/registry.h"
#include "kernels/common/bf16.h"
#include "oracles/pool/checked_problem.h"
#include "tests/support/axis_values.h"
#include "tests/support/differing_switches.h"
#include "tests/support/filled_inputs.h"
#include "tests/support/solved_workload.h"
#include "variants/pool/problem.h"
#include "variants/pool/scene.h"

namespace ablate::pool {
namespace {

using test_support::differing_switches;
using test_support::expect_inputs_filled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& pooling() { return *find_operation("pool"); }

axis_values at(const axis_values& given) {
  return values_of(pooling(), with({{"points", "3000"}, {"channels", "16"}}, given));
}

solved_workload solved(const axis_values& given) { return solved_workload(pooling(), at(given)); }

constexpr const char* regions[] = {"all",    "index",           "reduce",         "finish",
                                   "unpool", "reduce_backward", "unpool_backward"};
constexpr const char* clusterings[] = {"in_bucket", "three_steps", "grid"};

TEST(PoolOperation, ItsReferencePassesItsCheckInEveryRegion) {
  for (const char* clusters : clusterings)
    for (const char* region : regions)
      for (const char* reduce : {"mean", "sum", "min", "max"}) {
        const auto c = solved({{"clusters", clusters}, {"region", region}, {"reduce", reduce}});
        EXPECT_TRUE(c.check().ok) << clusters << ", " << region << ", " << reduce << ": "
                                  << c.check().message;
      }
}

TEST(PoolOperation, ItsReferencePassesForEveryRatioOrderAndScene) {
  for (const char* clusters : clusterings)
    for (const char* ratio : {"2", "3", "4", "8"})
      for (const char* order_by : {"cut", "psh", "hilbert"})
        for (const char* distribution : {"uniform", "surface", "lidar", "clustered"}) {
          const bool is_grid = std::string(clusters) == "grid";
          const auto c = solved({{"clusters", clusters},
                                 {"ratio", ratio},
                                 {"order_by", order_by},
                                 {"distribution", distribution},
                                 {"equal", is_grid ? "ratio" : "cells"}});
          EXPECT_TRUE(c.check().ok) << clusters << ", " << ratio << ", " << order_by << ", " << distribution
                                    << ": " << c.check().message;
        }
}

TEST(PoolOperation, ItsReferencePassesForBatchesCurvesTurnsAndPadding) {
  for (const char* clusters : clusterings) {
    const bool is_grid = std::string(clusters) == "grid";
    for (const char* sizes : {"equal", "ragged"})
      for (const char* region : regions) {
        const auto c = solved({{"clusters", clusters},
                               {"region", region},
                               {"sizes", sizes},
                               {"batch", "5"},
                               {"reduce", "max"},
                               {"points_as", "raw"},
                               {"curves", "1"},
                               {"pad", is_grid ? "1" : "512"},
                               {"rotate", is_grid ? "off" : "on"}});
        EXPECT_TRUE(c.check().ok) << clusters << ", " << sizes << ", " << region << ": " << c.check().message;
      }
  }
}

/// Instances of awkward sizes, and points that are all the same.
TEST(PoolOperation, TakesAwkwardSizes) {
  for (const char* clusters : clusterings)
    for (const char* points : {"1", "2", "7", "1023", "1024", "1025", "2049"})
      for (const char* ratio : {"2", "8"})
        for (const char* sizes : {"equal", "ragged"}) {
          const auto c = solved({{"clusters", clusters},
                                 {"points", points},
                                 {"ratio", ratio},
                                 {"sizes", sizes},
                                 {"batch", "2"},
                                 {"points_as", "raw"}});
          EXPECT_TRUE(c.check().ok) << clusters << ", " << points << ", " << ratio << ": "
                                    << c.check().message;
        }
  for (const char* clusters : clusterings) {
    const auto none = solved({{"clusters", clusters}, {"sizes", "ragged"}, {"pad", "1"}});
    EXPECT_TRUE(none.check().ok) << clusters << ": " << none.check().message;
    EXPECT_EQ(none.work.input.at("points"), 0);
  }
}

TEST(PoolOperation, MakesTheBucketOrderOfPshBucket) {
  for (const char* order_by : {"cut", "psh"}) {
    const auto c = solved({{"region", "order"}, {"points_as", "raw"}, {"order_by", order_by}});
    EXPECT_TRUE(c.check().ok) << c.check().message;
    EXPECT_EQ(c.work.input.at("points"), 3000);
    EXPECT_EQ(c.work.input.at("capacity"), 512);
  }
}

/// The position of the first fault that `spoil` makes in an otherwise right output.
template <class T, class Spoil>
std::string message_of(const axis_values& given, const char* output, Spoil spoil) {
  auto c = solved(given);
  EXPECT_TRUE(c.check().ok) << c.check().message;
  spoil(c.output<T>(output));
  return c.check().message;
}

TEST(PoolOperation, TheCheckFindsAWrongIndexInBuckets) {
  using words = std::span<std::uint32_t>;
  const axis_values in_bucket = {{"region", "index"}, {"pad", "64"}};
  EXPECT_THAT(message_of<std::uint32_t>(in_bucket, "member", [](words w) { w[7] = w[8]; }), HasSubstr("P1"));
  EXPECT_THAT(message_of<std::uint32_t>(in_bucket, "member", [](words w) { w[7] = 0xE0E0E0E0; }),
              HasSubstr("expected rows below"));
  EXPECT_THAT(message_of<std::uint32_t>(in_bucket, "cluster", [](words w) { ++w[9]; }),
              HasSubstr("P1: cluster[9]"));
  EXPECT_THAT(message_of<std::uint32_t>(in_bucket, "start", [](words w) { ++w[5]; }), HasSubstr("expected"));
  EXPECT_THAT(message_of<std::int32_t>(in_bucket, "count", [](std::span<std::int32_t> w) { --w[1]; }),
              HasSubstr("count[1]"));
  EXPECT_THAT(
      message_of<std::uint16_t>(in_bucket, "half_out", [](std::span<std::uint16_t> w) { w[31] ^= 8; }),
      HasSubstr("half_out[10], axis 1"));
  EXPECT_THAT(
      message_of<std::uint16_t>(in_bucket, "half_out", [](std::span<std::uint16_t> w) { w.back() = 1; }),
      HasSubstr("P4"));
}

TEST(PoolOperation, TheCheckFindsRowsOfAnotherRankAndBlock) {
  const auto exchanged = [](const axis_values& given, std::size_t a, std::size_t b) {
    auto c = solved(given);
    auto member = c.output<std::uint32_t>("member"), cluster = c.output<std::uint32_t>("cluster");
    std::swap(cluster[member[a]], cluster[member[b]]);
    std::swap(member[a], member[b]);
    return c.check().message;
  };
  const axis_values in_bucket = {{"region", "index"}, {"points_as", "raw"}};
  EXPECT_THAT(exchanged(in_bucket, 0, 900), HasSubstr("rank"));
  EXPECT_THAT(exchanged(in_bucket, 1001, 1030), HasSubstr("P3"));
  EXPECT_THAT(exchanged({{"region", "index"}, {"clusters", "three_steps"}, {"points_as", "raw"}}, 1001, 1030),
              HasSubstr("P3"));
  EXPECT_THAT(exchanged({{"region", "index"}, {"clusters", "grid"}}, 3, 2000), HasSubstr("cell"));
}

TEST(PoolOperation, TheCheckHoldsAVariantToItsPromises) {
  auto c = solved({{"region", "index"}, {"points_as", "raw"}});
  auto member = c.output<std::uint32_t>("member"), cluster = c.output<std::uint32_t>("cluster");
  std::swap(member[0], member[1]);  // within a cluster: the same cells
  EXPECT_THAT(c.check().message, HasSubstr("in their order"));
  c.output<std::int32_t>("promises")[0] = ordered_blocks;
  EXPECT_TRUE(c.check().ok) << c.check().message;
  // Two whole blocks in the other order.
  std::swap_ranges(member.begin(), member.begin() + 1024, member.begin() + 1024);
  for (std::size_t i = 0; i < 2048; ++i) cluster[member[i]] = static_cast<std::uint32_t>(i / 2);
  auto halves = c.output<std::uint16_t>("half_out");
  std::swap_ranges(halves.begin(), halves.begin() + 3 * 512, halves.begin() + 3 * 512);
  EXPECT_THAT(c.check().message, HasSubstr("P3"));
  c.output<std::int32_t>("promises")[0] = 0;
  EXPECT_TRUE(c.check().ok) << c.check().message;
  c.output<std::int32_t>("promises")[0] = 8;
  EXPECT_THAT(c.check().message, HasSubstr("promises"));
}

TEST(PoolOperation, TheCheckFindsAWrongIndexOfAGrid) {
  const axis_values grid = {{"region", "index"}, {"clusters", "grid"}};
  const auto flip = [](auto words) { words[17] ^= 1; };
  EXPECT_THAT(message_of<std::int32_t>(grid, "cell_out", flip), HasSubstr("cell_out[5], axis 2"));
  EXPECT_THAT(message_of<std::int32_t>(grid, "order_out", flip), HasSubstr("order_out[0][17]"));
  EXPECT_THAT(message_of<std::int32_t>(grid, "inverse_out", flip), HasSubstr("inverse_out[0][17]"));
  EXPECT_THAT(message_of<std::uint64_t>(grid, "code_out", flip), HasSubstr("code_out[0][17]"));
  EXPECT_THAT(message_of<float>(grid, "position_out", [](std::span<float> w) { w[17] += 1e-3f; }),
              HasSubstr("position_out[5], axis 2"));
  const auto pitch = static_cast<std::size_t>(problem_at(at(grid), input_library(1, {}, {})).pitch());
  EXPECT_THAT(
      message_of<std::int32_t>(grid, "order_out",
                               [&](std::span<std::int32_t> w) { std::swap(w[3 * pitch], w[3 * pitch + 1]); }),
      HasSubstr("order_out[3][0]"));
}

TEST(PoolOperation, NumbersOfAGridsClustersMayBeFree) {
  auto c = solved({{"region", "index"}, {"clusters", "grid"}, {"curves", "1"}});
  auto start = c.output<std::uint32_t>("start"), member = c.output<std::uint32_t>("member"),
       cluster = c.output<std::uint32_t>("cluster");
  // The first two clusters exchange their numbers.
  const std::uint32_t first = start[1], both = start[2];
  std::rotate(member.begin(), member.begin() + first, member.begin() + both);
  start[1] = both - first;
  for (std::uint32_t i = 0; i < both; ++i) cluster[member[i]] = i < start[1] ? 0 : 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::swap(c.output<std::int32_t>("cell_out")[axis], c.output<std::int32_t>("cell_out")[3 + axis]);
    std::swap(c.output<float>("position_out")[axis], c.output<float>("position_out")[3 + axis]);
  }
  std::swap(c.output<std::uint64_t>("code_out")[0], c.output<std::uint64_t>("code_out")[1]);
  EXPECT_FALSE(c.check().ok);
  c.output<std::int32_t>("promises")[0] = 0;
  EXPECT_TRUE(c.check().ok) << c.check().message;
}

TEST(PoolOperation, TheCheckFindsOneElementOfRows) {
  for (const char* clusters : clusterings)
    for (const char* reduce : {"mean", "max"}) {
      const auto spoiled = [&](const char* region, const char* output) {
        return message_of<std::uint16_t>({{"clusters", clusters}, {"reduce", reduce}, {"region", region}},
                                         output, [](std::span<std::uint16_t> w) { w[16 * 41 + 5] ^= 0x40; });
      };
      EXPECT_THAT(spoiled("reduce", "pooled"), HasSubstr("pooled[41], channel 5"));
      EXPECT_THAT(spoiled("finish", "finished"), HasSubstr("finished[41], channel 5"));
      EXPECT_THAT(spoiled("all", "finished"), HasSubstr("finished[41], channel 5"));
      EXPECT_THAT(spoiled("unpool", "up"), HasSubstr("up[41], channel 5"));
      EXPECT_THAT(spoiled("unpool_backward", "down_gradient"), HasSubstr("down_gradient[41], channel 5"));
      EXPECT_THAT(spoiled("reduce_backward", "feature_gradient"),
                  HasSubstr("feature_gradient[41], channel 5"));
    }
  const axis_values training = {{"reduce", "max"}, {"region", "reduce"}, {"pass", "training"}};
  EXPECT_THAT(
      message_of<std::uint8_t>(training, "winner", [](std::span<std::uint8_t> w) { w[16 * 41 + 5] ^= 1; }),
      HasSubstr("winner[41], channel 5"));
  const axis_values padded = {{"region", "reduce"}, {"pad", "4096"}};
  EXPECT_THAT(message_of<std::uint16_t>(padded, "pooled", [](std::span<std::uint16_t> w) { w.back() = 1; }),
              HasSubstr("P4"));
}

TEST(PoolOperation, AMeanMayBeOffByOneUlp) {
  auto c = solved({{"region", "reduce"}});
  auto& bits = c.output<std::uint16_t>("pooled")[100];
  const std::uint16_t right = bits;
  int accepted = 0;
  for (const int off : {-2, -1, 1, 2}) {
    bits = static_cast<std::uint16_t>(right + off);
    accepted += c.check().ok;
  }
  EXPECT_GE(accepted, 1);
  EXPECT_LE(accepted, 2);
}

/// <pool x, y> = <x, poolᵀ y>, by the references of both directions.
TEST(PoolOperation, GradientsAreTheTransposes) {
  for (const char* clusters : clusterings)
    for (const char* reduce : {"mean", "sum", "min", "max"}) {
      const axis_values axes = at({{"clusters", clusters}, {"reduce", reduce}});
      axis_values forward = axes, backward = axes;
      forward.set("region", "reduce");
      backward.set("region", "reduce_backward");
      solved_workload down(pooling(), forward), up(pooling(), backward);
      const auto floats = [](const solved_workload& solved, const char* name) {
        const auto at = std::ranges::find(solved.buffers, name, &buffer::name) - solved.buffers.begin();
        return solved.input<std::uint16_t>(static_cast<std::size_t>(at));
      };
      const auto dot = [](auto a, auto b, std::size_t n) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
          sum += static_cast<double>(float_of_bf16(a[i])) * static_cast<double>(float_of_bf16(b[i]));
        return sum;
      };
      const auto features = floats(down, "features"), gradient = floats(up, "row_gradient");
      const auto pooled = down.output<std::uint16_t>("pooled");
      const auto spread = up.output<std::uint16_t>("feature_gradient");
      const std::size_t rows = down.work.input.at("clusters").get<std::size_t>() * 16;
      const double left = dot(pooled, gradient, rows), right = dot(features, spread, spread.size());
      // Of selecting reductions x is that of the spread gradients, not that of random features' own.
      double scale = 0;
      for (std::size_t i = 0; i < rows; ++i)
        scale += std::abs(static_cast<double>(float_of_bf16(gradient[i])));
      if (reduce[0] == 'm' && reduce[1] == 'e') {
        EXPECT_NEAR(left, right, 2e-3 * scale) << clusters;
      } else if (reduce[0] == 's') {
        EXPECT_NEAR(left, right, 4e-3 * scale) << clusters;
      }
    }
}

TEST(PoolOperation, EachVariantAppliesToItsClustersAlone) {
  for (const variant_facts& v : pooling().variants) {
    int applies = 0;
    for (const char* clusters : clusterings)
      for (const char* curves : {"1", "4"})
        for (const char* region : regions)
          if (first_unmet(v.only_where,
                          at({{"clusters", clusters}, {"curves", curves}, {"region", region}})) == nullptr) {
            ++applies;
            break;
          }
    EXPECT_GE(applies, 1) << v.name;
    EXPECT_LE(applies, 2) << v.name;
    for (const char* name : {"index", "launch", "reduction", "finish", "winner", "members"})
      EXPECT_TRUE(v.switches.has(name)) << v.name << ", " << name;
  }
}

std::vector<std::string> differences(const char* one, const char* other) {
  return differing_switches(pooling(), one, other);
}

TEST(PoolOperation, EachStepTurnsOneSwitch) {
  using names = std::vector<std::string>;
  EXPECT_EQ(differences("counting_sort_published", "counting_sort_published+smem_request=needed"),
            names{"smem_request"});
  EXPECT_EQ(differences("counting_sort_published+smem_request=needed", "counting_sort+reduction=warp_row"),
            (names{"blocks", "members"}));
  EXPECT_EQ(differences("counting_sort+reduction=warp_row", "counting_sort"), names{"reduction"});
  for (const char* kib : {"100", "164", "max"})
    EXPECT_EQ(differences("counting_sort", (std::string("counting_sort+smem_request=") + kib).c_str()),
              names{"smem_request"});
  EXPECT_EQ(differences("counting_sort", "counting_sort_searched"), names{"winner"});
  EXPECT_EQ(differences("counting_sort", "counting_sort_fused"), names{"finish"});
  EXPECT_EQ(differences("counting_sort_fused", "counting_sort_one_launch"), names{"launch"});
  EXPECT_EQ(differences("counting_sort_one_launch", "counting_sort_one_launch+prefetch_kib=256"),
            names{"prefetch_kib"});
  EXPECT_EQ(differences("counting_sort_batched", "counting_sort_one_launch"),
            (names{"clusters_at_once", "gelu"}));
  EXPECT_EQ(differences("counting_sort_batched", "counting_sort_batched+gelu=power"), names{"gelu"});
  EXPECT_EQ(differences("counting_sort", "counting_sort_stable"), names{"index"});
  EXPECT_EQ(differences("counting_sort", "three_steps"), names{"index"});
  EXPECT_EQ(differences("torch_steps", "flags_of_orders+reduction=warp_row"), names{"index"});
  EXPECT_EQ(differences("flags_of_orders+reduction=warp_row", "flags_of_orders"), names{"reduction"});
  EXPECT_EQ(differences("flags_of_orders", "sort_packed"), names{"index"});
  EXPECT_EQ(differences("flags_of_orders", "hash_table"), names{"index"});
  EXPECT_EQ(differences("flags_of_orders", "flags_of_orders_fused"), names{"finish"});
  EXPECT_EQ(differences("flags_of_orders", "flags_of_orders_pdl"), names{"launch"});
  EXPECT_EQ(differences("flags_of_orders", "flags_of_orders_one_launch"), names{"launch"});
}

TEST(PoolOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(pooling(), at(given)); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"channels", "12"}}), HasSubstr("multiple of 8"));
  EXPECT_THAT(reason({{"clusters", "grid"}, {"ratio", "3"}}), HasSubstr("power of two"));
  EXPECT_EQ(reason({{"clusters", "grid"}, {"ratio", "3"}, {"equal", "ratio"}}), "");
  EXPECT_THAT(reason({{"clusters", "grid"}, {"pad", "2"}}), HasSubstr("pad"));
  EXPECT_THAT(reason({{"clusters", "grid"}, {"rotate", "on"}}), HasSubstr("rotate"));
  EXPECT_THAT(reason({{"clusters", "grid"}, {"region", "order"}, {"points_as", "raw"}}),
              HasSubstr("bucket order"));
  EXPECT_THAT(reason({{"region", "order"}}), HasSubstr("points_as=raw"));
  EXPECT_THAT(reason({{"region", "order"}, {"points_as", "raw"}, {"order_by", "hilbert"}}),
              HasSubstr("serialize"));
  EXPECT_THAT(reason({{"host", "graph"}, {"region", "reduce"}}), HasSubstr("nothing waits"));
  EXPECT_THAT(reason({{"pass", "training"}, {"region", "reduce"}}), HasSubstr("winners"));
  EXPECT_THAT(reason({{"points", "4000000"}, {"batch", "5"}}), HasSubstr("points together"));
  EXPECT_THAT(reason({{"points", "620435"}, {"channels", "512"}}), HasSubstr("elements"));
  EXPECT_THAT(reason({{"points", "0"}}), HasSubstr("point files only"));
}

TEST(PoolOperation, KnowsClocksAndWhatIsDoneAhead) {
  const input_library inputs(1, {}, {});
  for (const char* region : regions) {
    const bool begins = std::string(region) == "all" || std::string(region) == "index";
    EXPECT_EQ(pooling().has_ahead(at({{"region", region}}), inputs), !begins) << region;
  }
  EXPECT_TRUE(pooling().keeps_ahead());
  EXPECT_EQ(pooling().clock(at({}), inputs), region_clock::device);
  EXPECT_EQ(pooling().clock(at({{"host", "published"}}), inputs), region_clock::host);
  EXPECT_EQ(pooling().clock(at({{"host", "graph"}}), inputs), region_clock::host_graph);
}

TEST(PoolOperation, DeclaresCompulsoryBytes) {
  const auto work = [](const axis_values& given) {
    const auto c = solved(given);
    return std::tuple(c.work.work.bytes, c.work.input.at("points").get<double>(),
                      c.work.input.at("clusters").get<double>());
  };
  const auto [index, n, r] = work({{"region", "index"}});
  EXPECT_EQ(index, 14 * n + 10 * r);
  EXPECT_EQ(std::get<0>(work({{"region", "reduce"}})), 32 * n + 4 * n + 32 * r);
  EXPECT_EQ(std::get<0>(work({{"region", "finish"}})), 64 * r);
  EXPECT_EQ(std::get<0>(work({})), index + 32 * n + 32 * r);
  EXPECT_EQ(std::get<0>(work({{"region", "unpool"}})), 64 * n + 4 * n + 32 * r);
  EXPECT_EQ(std::get<0>(work({{"region", "unpool_backward"}})), 32 * n + 4 * n + 32 * r);
  EXPECT_EQ(std::get<0>(work({{"region", "reduce_backward"}})), 32 * r + 4 * n + 32 * n);
  EXPECT_EQ(std::get<0>(work({{"region", "reduce_backward"}, {"reduce", "max"}})), 48 * r + 4 * n + 32 * n);
  const auto [grid, points, clusters] = work({{"region", "index"}, {"clusters", "grid"}});
  EXPECT_EQ(grid, 28 * points + 116 * clusters) << "orders and cells follow from codes";
}

TEST(PoolOperation, FillsEveryInputToItsSize) {
  for (const char* clusters : clusterings)
    for (const char* region : regions) {
      const auto c = solved({{"clusters", clusters}, {"region", region}, {"reduce", "max"}, {"batch", "2"}});
      SCOPED_TRACE(std::string(clusters) + ", " + region);
      expect_inputs_filled(c.work, c.buffers);
    }
}

TEST(PoolOperation, TellsTheQualityOfClusters) {
  const auto quality = [](const axis_values& given) { return solved(given).quality(); };
  const auto cut = quality({{"points", "20000"}, {"points_as", "raw"}, {"region", "index"}});
  EXPECT_EQ(cut.at("largest_cluster"), 2);
  EXPECT_NEAR(cut.at("points_per_cluster").get<double>(), 2, 1e-3);
  EXPECT_LE(cut.at("most_not_full_of_a_block").get<int>(), 1);
  const auto searched =
      quality({{"points", "20000"}, {"points_as", "raw"}, {"region", "index"}, {"clusters", "three_steps"}});
  EXPECT_GT(searched.at("mean_radius_m").get<double>(), cut.at("mean_radius_m").get<double>());
  const auto grid =
      quality({{"points", "20000"}, {"region", "index"}, {"clusters", "grid"}, {"equal", "ratio"}});
  EXPECT_NEAR(grid.at("points_per_cluster").get<double>(), 2, 0.021);
  EXPECT_GT(grid.at("singletons_share").get<double>(), 0.1);
  EXPECT_FALSE(grid.contains("most_not_full_of_a_block"));
}

/// A batch of one cloud and its turned copies has the clusters of each alone.
TEST(PoolOperation, ABatchIsItsInstances) {
  auto one = solved({{"region", "index"}, {"points_as", "raw"}}),
       two = solved({{"region", "index"}, {"points_as", "raw"}, {"batch", "2"}});
  const auto alone = one.output<std::uint32_t>("cluster"), both = two.output<std::uint32_t>("cluster");
  EXPECT_EQ(two.output<std::int32_t>("count")[1], one.output<std::int32_t>("count")[1]);
  // By z key within the batch's own box the order differs, the sizes do not.
  EXPECT_EQ(both.size(), 2 * alone.size());
  auto grid = solved({{"region", "index"}, {"clusters", "grid"}}),
       grids = solved({{"region", "index"}, {"clusters", "grid"}, {"batch", "2"}});
  EXPECT_EQ(grids.output<std::int32_t>("count")[0], 0);
  EXPECT_GT(grids.output<std::int32_t>("count")[1], 0);
  EXPECT_GT(grids.output<std::int32_t>("count")[2], grids.output<std::int32_t>("count")[1]);
}

TEST(PoolScene, VoxelsAreTheFirstPointsOfTheirCells) {
  const input_library inputs(1, {}, {});
  const scene raw =
      scene_at(at({{"points_as", "raw"}, {"distribution", "surface"}, {"points", "20000"}}), inputs);
  const scene thinned = scene_at(at({{"distribution", "surface"}, {"points", "20000"}}), inputs);
  EXPECT_EQ(raw.points(), 20000);
  EXPECT_LT(thinned.points(), raw.points());
  EXPECT_GT(thinned.points(), 0);
  EXPECT_EQ(thinned.xyz[0], raw.xyz[0]);
  const scene_grid grid =
      grid_of(thinned, at({{"clusters", "grid"}, {"distribution", "surface"}, {"points", "20000"}}));
  EXPECT_EQ(grid.shift, 1);
  EXPECT_LT(grid.clusters, thinned.points());
  // One point a cell: cells begin where those of all points do, kept or not.
  std::set<std::array<std::int32_t, 3>> cells;
  for (std::size_t i = 0; i < grid.cells.size(); i += 3)
    cells.insert({grid.cells[i], grid.cells[i + 1], grid.cells[i + 2]});
  EXPECT_EQ(static_cast<std::int64_t>(cells.size()), thinned.points());
}

}  // namespace
}  // namespace ablate::pool
