// A region that begins in the middle of the work: what goes ahead of it is done again before every launch,
// and is neither timed nor counted.
#include <gtest/gtest.h>

#include <numeric>

#include "harness/registry/define.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/runner/ahead_kernels.cuh"
#include "tests/support/capability.h"
#include "tests/support/executor_test.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::test_support {

/// Numbers are copied, then tripled in place; each thread that triples adds 1 to a counter.
struct tripling_problem {
  bool copies = true, triples = true;
  const unsigned* in = nullptr;
  unsigned* out = nullptr;
  unsigned* tripled = nullptr;
};

void launch_tripling(launcher& to, const tripling_problem& p, const switches&) {
  const dim3 grid(blocks_for(numbers, 256)), block(256);
  if (p.copies) launch(to, copy_numbers, grid, block, 0, p.in, p.out);
  if (p.triples) launch(to, triple_numbers, grid, block, 0, p.out, p.tripled);
}

workload tripling_workload() {
  const auto in = std::make_shared<std::vector<unsigned>>(numbers);
  std::iota(in->begin(), in->end(), 1u);
  const auto value = [](const std::byte* bytes, std::size_t i) {
    return reinterpret_cast<const unsigned*>(bytes)[i];
  };
  workload w;
  w.contents = {std::as_bytes(std::span(*in)), {}, {}};
  w.check = [value](std::span<const std::byte* const> out) -> check_result {
    for (unsigned i = 0; i < numbers; ++i)
      if (value(out[1], i) != 3 * (i + 1)) return {false, "number " + std::to_string(i) + " differs", 1};
    if (value(out[2], 0) != numbers) return {false, "the counter differs", 1};
    return {.ok = true};
  };
  w.quality = [value](std::span<const std::byte* const> out) {
    return nlohmann::ordered_json{{"last_number", value(out[1], numbers - 1)}, {"undefined", nullptr}};
  };
  w.picture = [value](std::span<const std::byte* const> out) {
    return nlohmann::ordered_json{{"points", {{0.0, 0.0, value(out[1], 0)}}}};
  };
  w.input = {{"hash", "0123456789abcdef"}};
  w.storage = in;
  return w;
}

const bool tripling_is_defined = define<tripling_problem>(
    {.name = "made_tripling",
     .description = "numbers copied, then tripled",
     .axes = {axis::of_words("timed", {"both", "triple"}, "what is timed")},
     .baseline = "two_kernels",
     .problem =
         [](const axis_values& at, const input_library&) {
           return tripling_problem{at.word("timed") == "both", true};
         },
     .buffers =
         [](tripling_problem& p) {
           return bound_buffers{bind("in", p.in, 4 * numbers),
                                bind("out", p.out, 4 * numbers, buffer_role::output, buffer_reset::poison),
                                bind("tripled", p.tripled, 4, buffer_role::output, buffer_reset::zeros)};
         },
     .prepare = [](const tripling_problem&, const axis_values&,
                   const input_library&) { return tripling_workload(); },
     .ahead = [](const tripling_problem& p) -> std::optional<tripling_problem> {
       if (p.copies) return std::nullopt;
       return tripling_problem{true, false};
     },
     .variants = {{"two_kernels", launch_tripling, {}, "a kernel for each"}}});

/// Numbers are doubled into a table ahead, and copied from there into the output as often as one likes.
struct doubled_table_problem {
  bool makes_table = false;
  const unsigned* in = nullptr;
  unsigned* table = nullptr;
  unsigned* out = nullptr;
};

void launch_doubled_table(launcher& to, const doubled_table_problem& p, const switches&) {
  const dim3 grid(blocks_for(numbers, 256)), block(256);
  if (p.makes_table)
    launch(to, double_numbers, grid, block, 0, p.in, p.table);
  else
    launch(to, copy_numbers, grid, block, 0, p.table, p.out);
}

workload doubled_table_workload() {
  const auto in = std::make_shared<std::vector<unsigned>>(numbers);
  std::iota(in->begin(), in->end(), 1u);
  workload w;
  w.contents = {std::as_bytes(std::span(*in)), {}, {}};
  w.check = [](std::span<const std::byte* const> out) -> check_result {
    for (unsigned i = 0; i < numbers; ++i)
      if (reinterpret_cast<const unsigned*>(out[2])[i] != 2 * (i + 1))
        return {false, "number " + std::to_string(i) + " differs", 1};
    return {.ok = true};
  };
  w.input = {{"hash", "0123456789abcdef"}};
  w.storage = in;
  return w;
}

const bool doubled_table_is_defined = define<doubled_table_problem>(
    {.name = "made_doubled_table",
     .description = "numbers copied from a table of doubled ones",
     .axes = {axis::of_words("timed", {"copy"}, "what is timed")},
     .baseline = "plain",
     .problem = [](const axis_values&, const input_library&) { return doubled_table_problem(); },
     .buffers =
         [](doubled_table_problem& p) {
           return bound_buffers{
               bind("in", p.in, 4 * numbers),
               bind("table", p.table, 4 * numbers, buffer_role::scratch, buffer_reset::poison),
               bind("out", p.out, 4 * numbers, buffer_role::output, buffer_reset::poison)};
         },
     .prepare = [](const doubled_table_problem&, const axis_values&,
                   const input_library&) { return doubled_table_workload(); },
     .ahead = [](const doubled_table_problem&) { return std::optional(doubled_table_problem{true}); },
     .keeps_ahead = true,
     .variants = {{"plain", launch_doubled_table, {}, "one after the other"}}});

namespace {

class Ahead : public executor_test {
 protected:
  static suite_case timed(const std::string& what) {
    return case_of("made_tripling", "two_kernels", {{"timed", what}});
  }
};

TEST_F(Ahead, IsDoneBeforeEverySampleAndNamesNoKernel) {
  const measurement both = run(timed("both")), triple = run(timed("triple"));
  ASSERT_EQ(both.status, "ok") << both.reason;
  ASSERT_EQ(triple.status, "ok") << triple.reason;
  EXPECT_EQ(both.facts.kernels.size(), 2u);
  EXPECT_EQ(triple.facts.kernels.size(), 1u);
  EXPECT_LT(triple.facts.time.median_us, both.facts.time.median_us);
  ASSERT_EQ(triple.facts.quality.size(), 2u);
  EXPECT_EQ(find_counter(triple.facts.quality, "last_number"), 3 * numbers);
  EXPECT_EQ(triple.facts.quality[1].first, "undefined");
  EXPECT_FALSE(triple.facts.quality[1].second);
  EXPECT_FALSE(triple.facts.picture);
}

TEST_F(Ahead, APictureIsTakenWhereItIsWanted) {
  suite_case c = timed("triple");
  c.protocol.observed->picture = true;
  const measurement m = run(c);
  ASSERT_EQ(m.status, "ok") << m.reason;
  EXPECT_EQ(m.facts.picture.value().points[0].colors[0], 3);
}

TEST_F(Ahead, EveryCountedPassFindsWhatItShould) { expect_counters_of(timed("triple"), 1); }

TEST_F(Ahead, ATimelineShowsOneLaunch) {
  suite_case c = timed("triple");
  c.protocol.observed->timeline = true;
  const measurement m = run(c, {.timeline = true});
  ASSERT_EQ(m.status, "ok") << m.reason;
  if (m.facts.timeline.is_absent()) ABLATE_LACKS("counters", "PM sampling cannot be had here");
  ASSERT_TRUE(m.facts.timeline) << m.facts.timeline_reason;
  EXPECT_EQ(m.facts.timeline->loops, 1);
}

TEST_F(Ahead, WhatIsKeptServesManyLaunches) {
  for (const cache_state state : {cache_state::cold_clean, cache_state::hot, cache_state::rotating}) {
    suite_case c = case_of("made_doubled_table", "plain", {{"timed", "copy"}}, state);
    c.protocol.observed->counters = "core";
    const measurement m = run(c, {.counters = true});
    ASSERT_EQ(m.status, "ok") << c.id << ": " << m.reason;
    EXPECT_EQ(m.facts.kernels.size(), 1u) << c.id;
    EXPECT_EQ(m.facts.time.method, state == cache_state::cold_clean ? "events" : "graph");
    const counter_readings& counters = m.facts.counters;
    if (counters.reason.empty()) {
      EXPECT_EQ(counters.output, "ok") << c.id;
    }
  }
}

// A table that stays in L2, built once and searched by many launches.
TEST_F(Ahead, ATableIsSearchedHot) {
  const operation& search = *find_operation("hash_search");
  const measurement m =
      run(case_of("hash_search", search.baseline,
                  values_of(search, {{"slots", "4096"}, {"queries", "100000"}, {"hit_percent", "50"}}),
                  cache_state::hot));
  ASSERT_EQ(m.status, "ok") << m.reason;
  EXPECT_EQ(m.facts.time.method, "graph");
}

// Whoever's clock: the map is right before and after, and the record says who timed it.
TEST_F(Ahead, TheHostTakesPartInARegion) {
  const operation& maps = *find_operation("kernel_map");
  for (const std::string region : {"all", "map", "cells_kept"})
    for (const std::string host : {"absent", "end", "count", "stages", "graph"}) {
      const suite_case c =
          case_of("kernel_map", "hierarchical",
                  values_of(maps, {{"scene", "room"}, {"rows", "3000"}, {"region", region}, {"host", host}}));
      ASSERT_NE(c.variant, nullptr);
      const measurement m = run(c);
      ASSERT_EQ(m.status, "ok") << c.id << ": " << m.reason;
      EXPECT_EQ(m.facts.time.method, host == "absent"  ? "events"
                                     : host == "graph" ? "host_clock_graph"
                                                       : "host_clock")
          << c.id;
      EXPECT_GE(m.facts.kernels.size(), 1u) << c.id;
    }
}

TEST_F(Ahead, IsDoneBeforeTheLaunchForAProfiler) { expect_launch_of(timed("triple"), 1); }

TEST_F(Ahead, IsDoneBeforeEveryLaunchOfAVariantRun) {
  const operation& op = *find_operation("made_tripling");
  variant_run triple(op, {{"timed", "triple"}}, inputs_);
  const check_result result = triple.check(op.variants.front(), false, 3);
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_EQ(triple.quality().at("last_number"), 3 * numbers);
  EXPECT_EQ(triple.download()[0], nullptr);
  EXPECT_EQ(reinterpret_cast<const unsigned*>(triple.download()[1])[0], 3u);

  variant_run both(op, {{"timed", "both"}}, inputs_);
  EXPECT_TRUE(both.check(op.variants.front()).ok);
  EXPECT_FALSE(both.check(op.variants.front(), false, 2).ok) << "nothing is restored where nothing is ahead";
}

}  // namespace
}  // namespace ablate::test_support
