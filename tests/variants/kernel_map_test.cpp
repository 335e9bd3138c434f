// The operation kernel_map on the host: axes, scenes, regions, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "base/text/bad_input.h"
#include "harness/registry/registry.h"
#include "kernels/common/mixed.h"
#include "kernels/kernel_map/kernel_map.h"
#include "tests/support/axis_values.h"
#include "tests/support/filled_inputs.h"
#include "tests/support/point_files.h"
#include "tests/support/solved_workload.h"

namespace ablate::kernel_map_test {
namespace {

using test_support::expect_inputs_filled;
using test_support::point_files;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& maps() { return *find_operation("kernel_map"); }

axis_values at(const axis_values& given) { return values_of(maps(), given); }

/// Small enough for a test of everything.
axis_values small(const axis_values& given) { return at(with({{"rows", "2000"}}, given)); }

const buffer& named(const std::vector<buffer>& all, const std::string& name) {
  return *std::ranges::find(all, name, &buffer::name);
}

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& axes, const input_library& inputs = input_library(1, {}, {}))
      : solved_workload(maps(), axes, inputs) {}
  /// An input's rows: batch, x, y, z.
  std::vector<std::array<std::int32_t, 4>> rows(const char* of) const {
    return input<std::array<std::int32_t, 4>>(static_cast<std::size_t>(&the(of) - buffers.data()));
  }
  const buffer& the(const char* name) const { return named(buffers, name); }
};

constexpr const char* kernels[] = {"3", "5",     "7",     "9",       "11",      "1",     "2",
                                   "4", "3x3x5", "9x5x3", "13x13x1", "1x11x13", "5x25x1"};

TEST(KernelMapOperation, IsRightForEveryKernelAndStride) {
  for (const char* kernel : kernels)
    for (const char* stride : {"1", "2"})
      for (const char* dilation : {"1", "2"}) {
        const solved_case c(small({{"kernel", kernel}, {"stride", stride}, {"dilation", dilation}}));
        EXPECT_TRUE(c.check().ok) << kernel << ", " << stride << ", " << dilation << c.check().message;
        EXPECT_FALSE(c.check_poison().ok);
      }
}

TEST(KernelMapOperation, IsRightForEverySceneOrderRangeAndShift) {
  for (const std::string& scene : maps().axes.front().words)
    for (const char* order : {"scan", "shuffled", "morton"})
      for (const char* range : {"guard", "wrap"}) {
        const bool is_fixed = scene == "faces" || scene == "random" || scene == "adversarial";
        const axis_values axes = small({{"scene", scene},
                                        {"rows", scene == "empty" ? "0" : "700"},
                                        {"order", order},
                                        {"range", range},
                                        {"shift", is_fixed ? "0" : "123"}});
        ASSERT_EQ(maps().refuses(axes), std::nullopt) << scene;
        const solved_case c(axes);
        EXPECT_TRUE(c.check().ok) << scene << ": " << c.check().message;
        EXPECT_FALSE(c.check_poison().ok);
        EXPECT_EQ(c.fact("points"), scene == "empty" ? 0 : 700);
      }
}

TEST(KernelMapOperation, FindsOutWrongOutputs) {
  solved_case c(small({{"scene", "room"}}));
  ++c.output<std::uint64_t>("digest")[12];
  EXPECT_FALSE(c.check().ok);
  EXPECT_THAT(c.check().message, HasSubstr("offset 12 (0, 0, -1): expected "));
  EXPECT_THAT(c.check().message, HasSubstr("of digest"));
  --c.output<std::uint64_t>("digest")[12];
  EXPECT_TRUE(c.check().ok);

  const auto list_ends = c.output<std::int64_t>("ends");
  for (std::size_t i = 6; i <= 27; ++i) list_ends[i] -= 2;
  EXPECT_THAT(c.check().message,
              ::testing::MatchesRegex("offset 5 \\(-1, 0, 1\\): expected [0-9]+ pairs, found [0-9]+"));
  for (std::size_t i = 6; i <= 27; ++i) list_ends[i] += 2;
  EXPECT_TRUE(c.check().ok);
  list_ends[0] = 1;
  EXPECT_THAT(c.check().message, HasSubstr("ends[0]: expected 0, found 1"));
  list_ends[0] = 0;

  for (const std::int32_t wrong : {kernel_map::map_full, kernel_map::map_overflow}) {
    c.output<std::int32_t>("status")[0] = wrong;
    EXPECT_EQ(c.check().message, "status: expected 0, found " + std::to_string(wrong));
  }
}

TEST(KernelMapOperation, ExpectsAnOverflowWhereTheListsAreTooShort) {
  solved_case c(small({{"scene", "solid"}, {"list_room", "50"}}));
  EXPECT_EQ(c.output<std::int32_t>("status")[0], kernel_map::map_overflow);
  EXPECT_TRUE(c.check().ok);
  c.output<std::uint64_t>("digest")[26] = 0;  // beyond the capacity: any of its pairs may be missing
  EXPECT_TRUE(c.check().ok);
  c.output<std::uint64_t>("digest")[0] = 0;
  EXPECT_FALSE(c.check().ok);
  const solved_case none(small({{"list_room", "0"}}));
  EXPECT_EQ(none.the("in_rows").bytes, 0u);
  EXPECT_TRUE(none.check().ok);
}

TEST(KernelMapOperation, JudgesEveryOutput) {
  for (const char* output : {"lists", "dense", "masks", "reverse"})
    for (const char* stride : {"1", "2"}) {
      SCOPED_TRACE(std::string(output) + ", stride " + stride);
      solved_case c(small({{"output", output}, {"stride", stride}, {"kernel", "3x3x5"}}));
      EXPECT_TRUE(c.check().ok) << c.check().message;
      EXPECT_FALSE(c.check_poison().ok);
      ++c.output<std::uint64_t>("digest")[44];
      EXPECT_FALSE(c.check().ok);
      const std::string word = output;
      const auto outs = static_cast<std::size_t>(c.fact("outs"));
      const std::size_t dense = 4 * 45 * outs;
      EXPECT_EQ(c.the("in_rows").bytes, word == "lists" ? 4 * 45 * outs : 0);
      EXPECT_EQ(c.the("tables").bytes, word == "lists"   ? 0
                                       : word == "dense" ? dense
                                       : word == "masks" ? dense + 4 * 2 * outs
                                                         : dense + 4 * 45 * 2000);
      EXPECT_EQ(c.the("tables").reset, buffer_reset::poison);
    }
  const auto digests = [](const char* output) {
    solved_case c(small({{"output", output}}));
    const auto first = c.output<std::uint64_t>("digest").first(27);
    return std::vector(first.begin(), first.end());
  };
  EXPECT_EQ(digests("dense"), digests("lists"));
  EXPECT_EQ(digests("reverse"), digests("lists"));
  EXPECT_NE(digests("masks"), digests("lists"));
}

// A wrong in row in the dense table does not show in the masks or the reverse table made from it.
TEST(KernelMapOperation, FindsOneWrongEntryOfTheDenseTableInFront) {
  for (const char* output : {"masks", "reverse"}) {
    SCOPED_TRACE(output);
    solved_case c(small({{"output", output}}));
    EXPECT_EQ(c.the("digest").bytes, 8u * 2 * 27);
    const auto dense = c.output<std::uint64_t>("digest").subspan(27);
    const auto pair = [](std::uint64_t in, std::uint64_t out) { return mixed(in << 32 | out); };
    dense[13] += pair(6, 5) - pair(5, 5);  // in row 6, not 5, for out row 5 at the middle offset
    EXPECT_THAT(c.check().message, HasSubstr("offset 13 (0, 0, 0): expected entries of digest"));
    dense[13] -= pair(6, 5) - pair(5, 5);
    EXPECT_TRUE(c.check().ok);
    dense[26] += pair(0xffffffff, 7);
    EXPECT_THAT(c.check().message, HasSubstr("in the dense table"));
  }
}

TEST(KernelMapOperation, JudgesHalfOfTheLists) {
  const solved_case whole(small({})), half(small({{"lists", "first_half"}}));
  EXPECT_TRUE(half.check().ok);
  EXPECT_FALSE(half.check_poison().ok);
  EXPECT_EQ(2 * half.fact("pairs") + 2000, whole.fact("pairs"));
  EXPECT_EQ(half.the("in_rows").bytes, 4u * 13 * 2000);
}

TEST(KernelMapOperation, NamesWhatTheDispatchRulesTake) {
  const auto facts = [](const axis_values& axes) {
    return maps().prepare(small(axes), input_library(1, {}, {})).input;
  };
  EXPECT_EQ(facts({{"kernel", "7"}}).at("dispatch"),
            (nlohmann::ordered_json{{"published", "hierarchical"}, {"measured", "flat_symmetric"}}));
  EXPECT_EQ(facts({{"kernel", "3"}, {"stride", "2"}}).at("dispatch"),
            (nlohmann::ordered_json{{"published", "flat"}, {"measured", "flat"}}));
  EXPECT_EQ(facts({{"rows", "200000"}, {"scene", "room"}, {"kernel", "7"}}).at("dispatch").at("measured"),
            "cells_symmetric");
  // The rules choose only for whole maps.
  for (const char* region : {"build", "map", "cells_kept"})
    EXPECT_FALSE(facts({{"region", region}}).contains("dispatch")) << region;
}

TEST(KernelMapOperation, DispatchTakesVariantsThatThereAre) {
  for (const char* kernel : kernels)
    for (const char* stride : {"1", "2"})
      for (const char* dilation : {"1", "2"})
        for (const char* scene : {"room", "uniform_1"}) {
          const axis_values axes = at({{"rows", "100000"},
                                       {"scene", scene},
                                       {"kernel", kernel},
                                       {"stride", stride},
                                       {"dilation", dilation}});
          const auto facts = maps().prepare(axes, input_library(1, {}, {})).input;
          for (const auto& [policy, pick] : facts.at("dispatch").items()) {
            const variant_facts* const variant = maps().find_variant(pick.get<std::string>());
            ASSERT_NE(variant, nullptr) << pick;
            EXPECT_EQ(first_unmet(variant->only_where, axes), nullptr)
                << policy << ": " << pick << ", " << kernel;
          }
        }
}

TEST(KernelMapOperation, SizesItsBuffers) {
  const solved_case c(small({{"kernel", "9x5x3"}}));
  expect_inputs_filled(c.work, c.buffers);
  EXPECT_EQ(c.the("ends").bytes, 8u * 136);
  EXPECT_EQ(c.the("digest").bytes, 8u * 135);
  EXPECT_EQ(c.the("in_rows").bytes, 4u * 135 * 2000);
  EXPECT_EQ(c.the("out_rows").bytes, 4u * 135 * 2000);
  EXPECT_EQ(c.the("in_rows").reset, buffer_reset::poison);
  EXPECT_EQ(c.the("out_coordinates").bytes, 0u);
  const input_library inputs(1, {}, {});
  EXPECT_EQ(named(maps().buffers(at({{"rows", "1000000"}, {"kernel", "11"}}), inputs), "in_rows").bytes,
            std::size_t{4} * 1331 * 1000000);
}

TEST(KernelMapOperation, TakesHalvesInOrderOfFirstAppearance) {
  for (const char* order : {"scan", "shuffled", "morton"}) {
    const solved_case c(small({{"scene", "room"}, {"stride", "2"}, {"order", order}, {"shift", "9"}}));
    std::vector<std::array<std::int32_t, 4>> expected;
    std::set<std::array<std::int32_t, 4>> known;
    for (const auto& [batch, x, y, z] : c.rows("coordinates")) {
      const std::array cell = {batch, x >> 1, y >> 1, z >> 1};
      if (known.insert(cell).second) expected.push_back(cell);
    }
    EXPECT_EQ(c.rows("out_coordinates"), expected);
    EXPECT_EQ(c.fact("outs"), std::ssize(expected));
    EXPECT_LT(expected.size(), 2000u);
    EXPECT_EQ(c.the("in_rows").bytes, 4u * 27 * expected.size());
  }
  // Another seed gives another number.
  const axis_values axes = small({{"scene", "uniform_5"}, {"stride", "2"}});
  EXPECT_NE(solved_case(axes).fact("outs"), solved_case(axes, input_library(2, {}, {})).fact("outs"));
}

TEST(KernelMapOperation, ShiftsByOctalDigits) {
  const auto here = solved_case(small({{"scene", "room"}})).rows("coordinates");
  const auto there = solved_case(small({{"scene", "room"}, {"shift", std::to_string(5 + 8 * 2 + 64 * 7)}}))
                         .rows("coordinates");
  for (std::size_t i = 0; i < here.size(); ++i)
    ASSERT_EQ(there[i], (std::array{here[i][0], here[i][1] + 5, here[i][2] + 2, here[i][3] + 7}));
}

TEST(KernelMapOperation, SizesTheTableByItsLoad) {
  const auto slots = [](const char* rows, const char* load) {
    return solved_case(at({{"scene", "uniform_1"}, {"rows", rows}, {"load", load}})).fact("slots");
  };
  EXPECT_EQ(slots("1", "50"), 16);
  EXPECT_EQ(slots("8", "50"), 16);
  EXPECT_EQ(slots("9", "50"), 32);
  EXPECT_EQ(slots("4096", "50"), 8192);
  EXPECT_EQ(slots("4097", "50"), 16384);
  EXPECT_EQ(slots("4096", "95"), 8192);
  EXPECT_EQ(slots("3891", "95"), 4096);
  EXPECT_EQ(slots("4096", "5"), 131072);
  EXPECT_EQ(solved_case(at({{"scene", "empty"}, {"rows", "0"}})).fact("slots"), 16);
}

TEST(KernelMapOperation, KnowsWhatIsDoneBesideARegion) {
  const input_library inputs(1, {}, {});
  for (const std::string region : {"all", "build", "map", "cells_kept"}) {
    const bool begins_later = region == "map" || region == "cells_kept";
    EXPECT_EQ(maps().has_ahead(small({{"region", region}}), inputs), begins_later) << region;
    EXPECT_TRUE(solved_case(small({{"region", region}})).check().ok) << region;
  }
}

TEST(KernelMapOperation, IsTimedByWhoeverTakesPart) {
  const input_library inputs(1, {}, {});
  const auto clock = [&](const char* host) { return maps().clock(small({{"host", host}}), inputs); };
  EXPECT_EQ(clock("absent"), region_clock::device);
  for (const char* host : {"end", "count", "stages"}) EXPECT_EQ(clock(host), region_clock::host) << host;
  EXPECT_EQ(clock("graph"), region_clock::host_graph);
}

TEST(KernelMapOperation, IsTheSameMapWhateverTheHostDoes) {
  const solved_case absent(small({}));
  for (const char* host : {"end", "count", "stages", "graph"}) {
    const solved_case c(small({{"host", host}}));
    EXPECT_TRUE(c.check().ok) << host << ": " << c.check().message;
    EXPECT_TRUE(absent.work.check(c.outputs()).ok) << host;
    EXPECT_EQ(c.work.work.bytes, absent.work.work.bytes) << host;
    EXPECT_EQ(c.work.input, absent.work.input) << host;
  }
}

TEST(KernelMapOperation, AModelLooksUpANeighborForEachListAndRow) {
  const auto work = [](const axis_values& given) { return solved_case(small(given)).work.work; };
  const work_model mirrored = work({{"region", "map"}});
  ASSERT_EQ(mirrored.random.size(), 1u);
  EXPECT_EQ(mirrored.random[0].resource, "random_read_sectors");
  EXPECT_EQ(mirrored.random[0].count, 13 * 2000) << "lists mirror each other, and a row is its own neighbor";
  EXPECT_EQ(mirrored.random[0].footprint_bytes, 8 * 2000);
  const solved_case strided(small({{"stride", "2"}, {"region", "map"}}));
  EXPECT_EQ(strided.work.work.random[0].count, 27 * strided.fact("outs"));
  EXPECT_TRUE(work({{"region", "build"}}).random.empty());
}

TEST(KernelMapOperation, DeclaresCompulsoryBytes) {
  for (const char* stride : {"1", "2"}) {
    const auto bytes = [&](const char* region) {
      return solved_case(small({{"stride", stride}, {"region", region}})).work.work.bytes;
    };
    const solved_case c(small({{"stride", stride}}));
    const double outs = c.fact("outs"), lists = 8 * c.fact("pairs") + 8 * 27;
    EXPECT_EQ(bytes("all"), 16 * 2000 + (outs == 2000 ? 0 : 16 * outs) + lists);
    EXPECT_EQ(bytes("build"), 16 * 2000);
    EXPECT_EQ(bytes("map"), 16 * outs + lists);
    const auto bytes_of = [&](const char* output) {
      return solved_case(small({{"stride", stride}, {"region", "map"}, {"output", output}})).work.work.bytes;
    };
    EXPECT_EQ(bytes_of("dense"), (16 + 4 * 27) * outs);
    EXPECT_EQ(bytes_of("masks"), (16 + 4 * 27 + 4) * outs);
    EXPECT_EQ(bytes_of("reverse"), (16 + 4 * 27) * outs + 4 * 27 * 2000);
    EXPECT_EQ(bytes("cells_kept"), bytes("all"));
  }
}

TEST(KernelMapOperation, NamesWhatTheInstrumentedFormCounted) {
  const workload w = maps().prepare(small({}), input_library(1, {}, {}));
  const auto figures = w.read_instruments(std::vector<std::uint64_t>{2000, 30000, 54000, 27000, 8000});
  EXPECT_EQ(figures.at("probes_per_query"), 15);
  EXPECT_EQ(figures.at("coarse_probes_per_query"), 27);
  EXPECT_EQ(figures.at("survivor_share"), 0.5);
  EXPECT_EQ(figures.at("pairs_per_query"), 4);
  const auto flat = w.read_instruments(std::vector<std::uint64_t>{2000, 54000, 0, 0, 8000});
  EXPECT_TRUE(flat.at("survivor_share").is_null());
  EXPECT_TRUE(w.read_instruments(std::vector<std::uint64_t>(kernel_map::event_count, 0)).is_null());
}

TEST(KernelMapOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(maps(), given); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"scene", "empty"}}), HasSubstr("needs rows=0"));
  EXPECT_THAT(reason({{"scene", "faces"}, {"rows", "0"}}), HasSubstr("needs rows"));
  for (const char* scene : {"faces", "random", "adversarial"})
    EXPECT_THAT(reason({{"scene", scene}, {"rows", "1000"}, {"shift", "1"}}), HasSubstr("needs shift=0"));
  EXPECT_THAT(reason({{"scene", "adversarial"}}), HasSubstr("at most 16384"));
  EXPECT_EQ(reason({{"rows", "1000000"}, {"kernel", "11"}}), "");
  EXPECT_EQ(reason({{"rows", "1613436"}, {"kernel", "11"}}), "");
  EXPECT_THAT(reason({{"rows", "1613437"}, {"kernel", "11"}}),
              HasSubstr("1613437 out rows x 1331 offsets: the lists need 16.0 GiB, at most 16"));
  EXPECT_EQ(reason({{"rows", "3000000"}, {"kernel", "11"}, {"list_room", "50"}}), "");
  EXPECT_EQ(reason({{"rows", "3000000"}, {"kernel", "11"}, {"output", "dense"}}), "");
  EXPECT_THAT(reason({{"rows", "3000000"}, {"kernel", "11"}, {"output", "reverse"}}),
              HasSubstr("the tables need 29.8 GiB, at most 16"));
  EXPECT_EQ(reason({{"lists", "first_half"}}), "");
  for (const axis_values& other : {axis_values{{"stride", "2"}}, {{"kernel", "4"}}, {{"kernel", "2"}}}) {
    axis_values half = other;
    half.set("lists", "first_half");
    EXPECT_THAT(reason(half), HasSubstr("needs a map onto its own rows"));
  }
  EXPECT_THAT(reason({{"lists", "first_half"}, {"output", "dense"}}), HasSubstr("needs output=lists"));
  EXPECT_THAT(reason({{"host", "count"}, {"output", "masks"}}), HasSubstr("needs output=lists"));
}

TEST(KernelMapOperation, RefusesListsThatAreTooLongOnceTheRowsAreKnown) {
  // Each row of a lattice is a cell of its own.
  const axis_values axes =
      at({{"scene", "lattice_4"}, {"rows", "1613437"}, {"kernel", "11"}, {"stride", "2"}});
  ASSERT_EQ(maps().refuses(axes), std::nullopt);
  EXPECT_THROW(maps().buffers(axes, input_library(1, {}, {})), bad_input);
}

/// Known figures of a scene, with 4³ cells.
struct known_scene {
  const char* scene;
  const char* rows;
  double tolerance;
  double pairs[2], survivors[2];  ///< of 5³ and 7³
};

TEST(KernelMapOperation, FindsAsManyPairsAsExpected) {
  const known_scene scenes[] = {{"uniform_0.1", "300000", 0.03, {1.1, 1.3}, {.38, .24}},
                                {"uniform_0.26", "300000", 0.03, {1.3, 1.9}, {.44, .31}},
                                {"uniform_1", "300000", 0.03, {2.2, 4.4}, {.65, .56}},
                                {"uniform_5", "300000", 0.03, {7.1, 17.5}, {.96, .94}},
                                {"plane", "0", 0.03, {25, 49}, {.60, .57}},
                                {"oblique_plane", "0", 0.03, {25, 49}, {.92, .83}},
                                {"shells", "0", 0.03, {24, 47}, {.86, .75}},
                                {"room", "0", 0.10, {33, 67}, {.87, .77}},
                                {"lidar_10cm", "0", 0.10, {12, 22}, {.72, .51}},
                                {"solid", "0", 0.03, {118, 316}, {.95, .92}}};
  for (const known_scene& s : scenes)
    for (int i = 0; i < 2; ++i) {
      const workload w =
          maps().prepare(at({{"scene", s.scene}, {"rows", s.rows}, {"kernel", i == 0 ? "5" : "7"}}),
                         input_library(1, {}, {}));
      SCOPED_TRACE(std::string(s.scene) + (i == 0 ? ", 5" : ", 7"));
      // The known figures are rounded.
      const double half_a_digit = s.pairs[i] < 20 ? 0.05 : 0.5;
      EXPECT_NEAR(w.input.at("pairs_per_query").get<double>(), s.pairs[i],
                  s.tolerance * s.pairs[i] + half_a_digit);
      EXPECT_NEAR(w.input.at("survivor_share").get<double>(), s.survivors[i],
                  s.tolerance * s.survivors[i] + 0.005);
    }
}

class KernelMapPointFile : public ::testing::Test {
 protected:
  input_library with_points(const std::vector<float>& xyz) { return files_.library_of("street", xyz); }

 private:
  point_files files_;
};

TEST_F(KernelMapPointFile, BecomesVoxels) {
  // Two points in one cell of 10 cm, one beside it, one far away.
  const input_library inputs =
      with_points({1.01f, 2.01f, 3.01f, 1.02f, 2.02f, 3.02f, 1.11f, 2.01f, 3.01f, 50, 50, 5});
  const solved_case c(at({{"scene", "street"}, {"rows", "0"}}), inputs);
  EXPECT_EQ(c.rows("coordinates"),
            (std::vector<std::array<std::int32_t, 4>>{{0, 10, 20, 30}, {0, 11, 20, 30}, {0, 500, 500, 50}}));
  EXPECT_EQ(c.fact("pairs"), 5);
  EXPECT_TRUE(c.check().ok);
  EXPECT_EQ(solved_case(at({{"scene", "street"}, {"rows", "0"}, {"cell_cm", "100"}}), inputs).fact("points"),
            2);
  EXPECT_EQ(solved_case(at({{"scene", "street"}, {"rows", "0"}, {"stride", "2"}}), inputs).fact("outs"), 2);
  EXPECT_EQ(solved_case(at({{"scene", "street"}, {"rows", "2"}}), inputs).fact("points"), 2);
  EXPECT_THROW(maps().buffers(at({{"scene", "street"}, {"rows", "4"}}), inputs), bad_input);
}

}  // namespace
}  // namespace ablate::kernel_map_test
