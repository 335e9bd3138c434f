#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/bad_input.h"
#include "harness/cli/claim_names.h"
#include "harness/counters/metric_groups.h"
#include "harness/registry/registry.h"
#include "harness/suite/suite.h"
#include "reports/claims/claims_judge.h"
#include "reports/claims/claims_select.h"
#include "tests/support/paths.h"

namespace ablate::committed_suites_test {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

const std::filesystem::path suites = test_support::source_path("suites");

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json" && entry.path().filename() != "schema.json")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::filesystem::path> committed_suites() { return json_files(suites); }

input_library without_data(const suite& s) { return {s.seed, s.point_files, {}}; }

std::vector<suite_case> planned(const std::filesystem::path& path) {
  const suite s = read_suite(path);
  return expand(s, {false, 90}, without_data(s));
}

/// What a run of the suite would leave for claims to read: each case, with 1 for every counter that it has
/// and for "planned".
claim_evidence evidence_of_plan(const std::filesystem::path& path) {
  claim_evidence evidence;
  evidence.entries = nlohmann::ordered_json::array();
  for (const suite_case& c : planned(path)) {
    measured_case m;
    m.name = c.id;
    m.operation = c.operation->name;
    m.variant = c.variant_name();
    m.cache_state = to_string(c.state);
    m.switches.assign(c.variant->switches.begin(), c.variant->switches.end());
    m.axes.assign(c.axes.begin(), c.axes.end());
    evidence.facts.cases.push_back(m);
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    for (const counter_group* group : chosen_groups(c.counters, "GH100"))
      for (const std::string& metric : group->metrics_on("GH100")) values[metric] = 1;
    evidence.entries.push_back(
        {{"planned", 1}, {"counters", {{"values", values}, {"kernels", {{{"values", values}}}}}}});
  }
  return evidence;
}

/// The same quantity of a plan: counters must be there, anything else (counters too, with `any_counters`) is
/// taken for granted.
claim_quantity as_planned(claim_quantity quantity, bool any_counters) {
  quantity.where.clear();
  for (auto* paths : {&quantity.measure.value, &quantity.measure.per})
    for (std::string& path : *paths)
      if (any_counters || !path.starts_with("counters.")) path = "planned";
  return quantity;
}

std::vector<std::string> rivals_of(const claim_quantity& quantity) {
  std::vector<std::string> rivals = quantity.of.rivals;
  if (const auto& other = quantity.counterpart)
    rivals.insert(rivals.end(), other->rivals.begin(), other->rivals.end());
  return rivals;
}

/// The plan and, for each case of the quantity's operation, what scripts would add: the rivals that it names.
claim_evidence with_rivals(claim_evidence plan, const claim_quantity& quantity,
                           const std::vector<std::string>& rivals) {
  const std::size_t planned_cases = plan.facts.cases.size();
  for (const std::string& rival : rivals)
    for (std::size_t i = 0; i < planned_cases; ++i) {
      measured_case added = plan.facts.cases[i];
      if (added.operation != quantity.of.operation) continue;
      added.variant = rival;
      added.switches.clear();
      plan.facts.cases.push_back(added);
      plan.entries.push_back({{"planned", 1}});
    }
  return plan;
}

/// The claims of a file whose cases no committed suite plans.
std::vector<std::string> claims_without_case(const std::filesystem::path& file, bool any_counters) {
  std::vector<claim_evidence> plans;
  for (const auto& path : committed_suites()) plans.push_back(evidence_of_plan(path));
  std::vector<std::string> out;
  for (const claim& c : read_claims(file)) {
    if (!c.quantity || c.waits_for) continue;
    const std::vector<std::string> rivals = rivals_of(*c.quantity);
    const claim_quantity quantity = as_planned(*c.quantity, any_counters);
    const auto has_figures = [&](const claim_evidence& plan) {
      if (rivals.empty()) return !figures_of(quantity, plan, any_effect).pieces.empty();
      return !figures_of(quantity, with_rivals(plan, quantity, rivals), any_effect).pieces.empty();
    };
    if (std::none_of(plans.begin(), plans.end(), has_figures)) out.push_back(c.id);
  }
  return out;
}

TEST(CommittedSuites, EveryOneReadsAndIsNamedAsItsFile) {
  ASSERT_GE(committed_suites().size(), 2u);
  for (const auto& path : committed_suites()) EXPECT_EQ(read_suite(path).name, path.stem().string());
}

/// The host has nothing of what measures a chip.
bool measures_the_chip_alone(const suite& s) {
  return std::all_of(s.blocks.begin(), s.blocks.end(),
                     [](const suite_block& b) { return !b.operation->calibrations.empty(); });
}

/// Cases that a run of it has time for: about five minutes on an H200. Those of voxelization and of hash
/// tables are short.
long max_cases(const suite& s) {
  if (s.name == "voxelization") return 760;
  return s.name == "packed_hash" ? 440 : 400;
}

TEST(CommittedSuites, EveryOneHasWorkForAGpuAndForTheHost) {
  for (const auto& path : committed_suites()) {
    const suite s = read_suite(path);
    for (const bool host : {false, true}) {
      if (host && measures_the_chip_alone(s)) continue;
      const std::vector<suite_case> cases = expand(s, {host, 90}, without_data(s));
      EXPECT_LE(
          std::count_if(cases.begin(), cases.end(), [](const suite_case& c) { return c.ceiling.empty(); }),
          max_cases(s))
          << path;
      for (const suite_case& c : cases)
        EXPECT_FALSE(c.not_applicable)
            << c.id << ": a committed suite asks for what cannot be: " << *c.not_applicable;
    }
  }
}

TEST(CommittedSuites, EveryCaseHasTheCoreCountersAndFewHaveAll) {
  for (const auto& path : committed_suites()) {
    int full = 0;
    const suite s = read_suite(path);
    for (const suite_case& c : expand(s, {false, 90}, without_data(s))) {
      EXPECT_NE(c.counters, "none") << c.id;
      full += c.counters == "full";
    }
    EXPECT_LE(full, 40) << path;
  }
}

TEST(CommittedSuites, QuickOnesAreQuick) {
  for (const char* name : {"quick.json", "psh_quick.json", "kernel_map_quick.json", "attention_quick.json"}) {
    const std::vector<suite_case> cases = planned(suites / name);
    // The calibrations, each a few milliseconds, come on top.
    EXPECT_LE(std::count_if(cases.begin(), cases.end(), [](const auto& c) { return c.ceiling.empty(); }), 32)
        << name;
    for (const suite_case& c : cases) EXPECT_EQ(c.counters, "core") << c.id;
  }
}

TEST(CommittedSuites, SpatialHashingIsMeasuredByPhaseHashModeAndCloud) {
  std::set<std::string> ids;
  int pictures = 0;
  for (const suite_case& c : planned(suites / "psh.json")) {
    ids.insert(c.id);
    pictures += c.picture;
  }
  EXPECT_EQ(pictures, 2);
  const auto expect = [&](const std::string& variant, const std::string& hash, const std::string& mode,
                          const std::string& cloud, const std::string& probes, const std::string& region) {
    const std::string id = "psh_bucket/" + variant + "/hash=" + hash + "/mode=" + mode +
                           "/points=124087/batch=1/sizes=equal/distribution=" + cloud +
                           "/order=natural/capacity=512/buckets=0/probes=" + probes +
                           "/segments=0/layout=compact/quantization=per_axis/channels=0/region=" + region +
                           "/@cold-clean";
    EXPECT_TRUE(ids.contains(id)) << id;
  };
  for (const std::string hash : {"z_div", "z_mod", "xor_div", "xor_mod"})
    for (const std::string scheme : {"global_atomic", "two_stage"}) {
      for (const char* cloud : {"lidar", "uniform"}) {
        expect(scheme, hash, "strict", cloud, "8", "pipeline");
        expect(scheme, hash, "published", cloud, "128", "pipeline");
        for (const char* region : {"insert", "rebalance"})
          expect(scheme + "+launch=split", hash, "published", cloud, "128", region);
      }
      expect(scheme, hash, "described", "lidar", "128", "pipeline");
      expect(scheme + "+launch=split", hash, "published", "lidar", "128", "drain");
      for (const std::string mode : {"described", "strict"})
        expect(scheme + "+launch=split", hash, mode, "lidar", mode == "strict" ? "8" : "128", "rebalance");
    }
}

/// The values of an axis among the suite's cases of an operation that have all of `others`.
std::set<std::string> values_of(const std::vector<suite_case>& cases, const std::string& operation,
                                const std::string& axis,
                                const std::vector<std::pair<std::string, std::string>>& others) {
  std::set<std::string> values;
  for (const suite_case& c : cases) {
    const auto has = [&](const auto& wanted) {
      return (wanted.first == "variant" ? c.variant_name() : c.axes.word(wanted.first)) == wanted.second;
    };
    if (c.operation->name == operation && std::all_of(others.begin(), others.end(), has))
      values.insert(c.axes.word(axis));
  }
  return values;
}

TEST(CommittedSuites, VoxelizationIsMeasuredByModeRegionOrderLayoutAndWorkload) {
  const std::vector<suite_case> cases = planned(suites / "voxelization.json");
  const auto values = [&](const char* axis, const std::vector<std::pair<std::string, std::string>>& others) {
    return values_of(cases, "voxelize", axis, others);
  };
  EXPECT_THAT(values("order", {{"variant", "global_atomic"}, {"distribution", "lidar"}}),
              IsSupersetOf({"natural", "azimuth", "shuffled", "morton", "linear"}));
  EXPECT_THAT(values("mode", {{"variant", "global_atomic"}, {"distribution", "lidar"}}),
              IsSupersetOf({"count_i32", "count_f32", "occupancy"}));
  for (const char* variant : {"global_atomic", "warp_match", "smem_hashed"})
    EXPECT_THAT(values("order", {{"variant", variant}, {"layout", "z_fastest"}}),
                IsSupersetOf({"natural", "azimuth", "morton"}))
        << variant;
  // The sort timed, and done ahead.
  for (const char* variant : {"sorted_segments", "sorted_runs"})
    for (const char* points : {"50000", "131072", "1000000"})
      EXPECT_THAT(values("region", {{"variant", variant}, {"points", points}}),
                  IsSupersetOf({"clear_kernel", "presorted_clear_kernel", "presorted_kernel"}))
          << variant << ", " << points << " points";
  // What the study timed: clear, count and binarize, a quarter of the points inside.
  EXPECT_THAT(values("batch", {{"variant", "count_then_binarize"}, {"frame", "corner"}}),
              IsSupersetOf({"8", "32"}));
  for (const char* variant : {"plain_store", "test_then_store", "atomic_exchange", "smem_bitmap"})
    EXPECT_THAT(values("grid", {{"variant", variant}}), IsSupersetOf({"64", "128"})) << variant;
  EXPECT_THAT(values("frame", {{"variant", "global_atomic_reciprocal"}}),
              IsSupersetOf({"unit", "robot", "vehicle"}));
}

TEST(CommittedSuites, HashTablesAreMeasuredByLoadFootprintHitsAndKeys) {
  const std::vector<suite_case> cases = planned(suites / "packed_hash.json");
  for (const char* variant : {"packed", "packed_double_hash", "packed_warp_search"})
    for (const char* hits : {"0", "100"})
      EXPECT_THAT(values_of(cases, "hash_search", "load",
                            {{"variant", variant}, {"slots", "4194304"}, {"hit_percent", hits}}),
                  IsSupersetOf({"25", "50", "70", "80", "90"}))
          << variant << ", " << hits << " % hits";
  for (const char* variant : {"packed", "indirect_murmur"}) {
    for (const char* operation : {"hash_insert", "hash_search"})
      EXPECT_THAT(values_of(cases, operation, "slots", {{"variant", variant}, {"load", "50"}}),
                  IsSupersetOf({"65536", "1048576", "4194304", "16777216", "33554432"}))
          << operation << "/" << variant;
    EXPECT_THAT(values_of(cases, "hash_search", "hit_percent", {{"variant", variant}, {"load", "50"}}),
                IsSupersetOf({"0", "20", "44", "100"}));
  }
  EXPECT_THAT(values_of(cases, "hash_search", "queries", {{"variant", "packed_warp_search"}}),
              IsSupersetOf({"32", "1000", "100000"}));
  EXPECT_THAT(values_of(cases, "hash_search", "keys", {{"variant", "packed"}}),
              IsSupersetOf({"random", "lidar_10cm", "room", "uniform_1", "lattice_256", "adversarial",
                            "kitti", "nuscenes"}));
  EXPECT_THAT(values_of(cases, "hash_insert", "multiplicity", {{"variant", "packed_warp_deduplicated"}}),
              IsSupersetOf({"1", "8", "32"}));
}

TEST(CommittedSuites, KernelMapsAreMeasuredBySizeKernelSceneAndOrder) {
  const std::vector<suite_case> cases = planned(suites / "kernel_map.json");
  for (const char* variant : {"flat", "flat_symmetric", "hierarchical", "hierarchical_exact_box",
                              "hierarchical_by_cell", "hierarchical_bitmap", "cells", "sorted"})
    for (const char* rows : {"100000", "1000000"})
      EXPECT_THAT(
          values_of(cases, "kernel_map", "kernel",
                    {{"variant", variant}, {"scene", "lidar_10cm"}, {"rows", rows}, {"region", "all"}}),
          IsSupersetOf({"3", "5", "7"}))
          << variant << ", " << rows << " rows";
  EXPECT_THAT(values_of(cases, "kernel_map", "host", {{"variant", "hierarchical"}}),
              IsSupersetOf({"absent", "end", "count", "stages", "graph"}));
  EXPECT_THAT(values_of(cases, "kernel_map", "output", {{"variant", "flat"}}),
              IsSupersetOf({"lists", "dense", "masks", "reverse"}));
  for (const char* variant : {"flat", "hierarchical", "cells"}) {
    for (const char* kernel : {"5", "7"})
      EXPECT_THAT(values_of(cases, "kernel_map", "scene", {{"variant", variant}, {"kernel", kernel}}),
                  IsSupersetOf({"room", "uniform_0.26", "uniform_1", "plane", "shells", "solid"}))
          << variant << ", kernel " << kernel;
    EXPECT_THAT(values_of(cases, "kernel_map", "order", {{"variant", variant}}),
                IsSupersetOf({"scan", "shuffled", "morton"}));
  }
  EXPECT_THAT(values_of(cases, "kernel_map", "cell_cm", {{"variant", "cells"}, {"scene", "kitti"}}),
              IsSupersetOf({"5", "10"}));
}

TEST(CommittedSuites, AttentionIsMeasuredByWidthWindowTokensAndWaysToFindRows) {
  const std::vector<suite_case> cases = planned(suites / "bucket_attention.json");
  for (const char* variant : {"hopper_online", "mma_online"}) {
    for (const auto& [width, heads] : {std::pair{"16", "32"}, {"32", "16"}, {"64", "8"}, {"128", "4"}})
      EXPECT_THAT(values_of(cases, "window_attention", "window",
                            {{"variant", variant}, {"tokens", "131072"}, {"width", width}, {"heads", heads}}),
                  IsSupersetOf({"512", "1024", "4096", "8192"}))
          << variant << ", width " << width;
    for (const char* width : {"16", "64"}) {
      EXPECT_THAT(values_of(cases, "window_attention", "tokens", {{"variant", variant}, {"width", width}}),
                  IsSupersetOf({"36864", "131072", "147456", "638976"}));
      EXPECT_THAT(values_of(cases, "window_attention", "bucket", {{"variant", variant}, {"width", width}}),
                  IsSupersetOf({"128", "256", "512", "1024"}));
    }
    EXPECT_THAT(values_of(cases, "window_attention", "stride", {{"variant", variant}}),
                IsSupersetOf({"1", "2", "3", "6"}));
  }
  EXPECT_THAT(values_of(cases, "window_attention", "offset", {{"variant", "hopper_online"}, {"stride", "1"}}),
              IsSupersetOf({"0", "1", "2", "3", "4", "5", "6", "7"}));
  for (const char* variant : {"hopper_gathered", "hopper_gathered_vectorized", "hopper_indexed"})
    EXPECT_THAT(values_of(cases, "window_attention", "rows", {{"variant", variant}, {"window", "1024"}}),
                IsSupersetOf({"random", "scan", "z"}))
        << variant;
  // One figure holds them: buckets and gathered rows against tokens.
  for (const auto& [variant, rows] : {std::pair{"hopper_online", "buckets"},
                                      {"mma_online", "buckets"},
                                      {"mma_published", "buckets"},
                                      {"hopper_gathered", "scan"},
                                      {"hopper_gathered_vectorized", "scan"}})
    for (const char* window : {"1024", "4096"})
      EXPECT_THAT(
          values_of(
              cases, "window_attention", "tokens",
              {{"variant", variant}, {"rows", rows}, {"window", window}, {"width", "16"}, {"heads", "8"}}),
          IsSupersetOf({"16384", "65536", "131072", "262144", "638976"}))
          << variant << ", window " << window;
  const std::vector<suite_case> backward = planned(suites / "bucket_attention_backward.json");
  for (const char* variant :
       {"hopper_two_pass", "hopper_bulk", "hopper_reduced", "mma_two_pass", "mma_atomic"})
    EXPECT_THAT(
        values_of(backward, "window_attention_backward", "width", {{"variant", variant}, {"window", "4096"}}),
        IsSupersetOf({"16", "32", "64", "128"}))
        << variant;
}

TEST(CommittedSuites, EveryForwardVariantMeetsSpecialValues) {
  const std::vector<suite_case> cases = planned(suites / "attention_special_values.json");
  for (const variant_facts& v : find_operation("window_attention")->variants)
    EXPECT_THAT(values_of(cases, "window_attention", "scores", {{"variant", v.name}}),
                IsSupersetOf({"nan_key", "inf_value"}))
        << v.name;
}

TEST(CommittedSuites, OverflowingTilesAreMeasuredBesideThoseThatDoNot) {
  const std::vector<suite_case> cases = planned(suites / "attention_overflow.json");
  for (const char* variant : {"hopper_online", "hopper_fixed_max", "mma_bounded", "mma_fixed_max"})
    for (const char* width : {"16", "32", "64", "128"})
      EXPECT_THAT(values_of(cases, "window_attention", "scores", {{"variant", variant}, {"width", width}}),
                  IsSupersetOf({"unit", "overflow_0.1pct", "overflow_10pct", "overflow_all"}))
          << variant << ", width " << width;
}

TEST(CommittedSuites, OrdersOfPointsAreMeasuredOnTheSameClouds) {
  const std::vector<suite_case> cases = planned(suites / "ordering.json");
  const auto points = [&](const char* operation, const char* variant) {
    return values_of(cases, operation, "points", {{"variant", variant}, {"distribution", "lidar"}});
  };
  const std::set<std::string> all = {"34720", "124087", "620435"};
  for (const char* variant : {"global_atomic", "two_stage", "sort_and_chunk"})
    EXPECT_EQ(points("psh_bucket", variant), all) << variant;
  for (const char* variant :
       {"tables", "states_used_bits+sort_items=packed", "states_used_bits+sorts=together+sort_items=packed"})
    EXPECT_EQ(points("serialize", variant), all) << variant;
  EXPECT_THAT(values_of(cases, "serialize", "curve", {{"variant", "tables"}}),
              IsSupersetOf({"z", "hilbert", "all"}));
}

TEST(CommittedClaims, EachHasCasesInASuite) {
  const std::vector<std::filesystem::path> files = json_files(suites / "claims");
  ASSERT_GE(files.size(), 2u);
  for (const auto& file : files) EXPECT_THAT(claims_without_case(file, true), IsEmpty()) << file;
}

TEST(CommittedClaims, HashingHasTheCountersThatItsClaimsRead) {
  for (const char* file : {"flash3d.json", "warpconvnet.json"})
    EXPECT_THAT(claims_without_case(suites / "claims" / file, false), IsEmpty()) << file;
}

struct numbered_claims {
  const char* file;
  std::vector<std::string> prefixes;
  std::size_t statements;
};

/// Each numbered statement of the publications is judged or waits: "vox-01-…" to "vox-21-…".
TEST(CommittedClaims, EveryNumberedStatementHasAnEntry) {
  for (const numbered_claims& of :
       std::vector<numbered_claims>{{"voxelization.json", {"vox-"}, 21},
                                    {"flash3d.json", {"psh-", "flash3d-"}, 20},
                                    {"warpconvnet.json", {"wcn-"}, 18},
                                    {"gated_sparse_attention.json", {"gsa-"}, 12}}) {
    std::set<std::string> numbers, expected;
    for (const claim& c : read_claims(suites / "claims" / of.file))
      for (const std::string& prefix : of.prefixes)
        if (c.id.starts_with(prefix) && std::isdigit(static_cast<unsigned char>(c.id[prefix.size()])))
          numbers.insert(c.id.substr(prefix.size(), 2));
    for (std::size_t n = 1; n <= of.statements; ++n) expected.insert((n < 10 ? "0" : "") + std::to_string(n));
    EXPECT_EQ(numbers, expected) << of.file;
  }
}

TEST(CommittedClaims, TheTargetsOfPackedHashingHaveEntries) {
  std::size_t targets = 0;
  for (const claim& c : read_claims(suites / "claims" / "warpconvnet.json"))
    targets += c.id.starts_with("ablate-target-");
  EXPECT_EQ(targets, 12u);
}

/// Nothing once all names of its quantity are known.
std::string why_it_waits(claim c) {
  c.waits_for.reset();
  try {
    check_names({c}, {});
  } catch (const bad_input& e) {
    return e.what();
  }
  return "";
}

/// Who adds an operation or a variant that claims wait for gives them their quantities, or drops `waits_for`
/// where they have them already.
TEST(CommittedClaims, NoneWaitsForWhatIsThere) {
  for (const auto& file : json_files(suites / "claims"))
    for (const claim& c : read_claims(file)) {
      if (!c.waits_for) continue;
      const bool is_there = find_operation(c.waits_for->operation) != nullptr;
      EXPECT_EQ(is_there, !c.waits_for->lacks.empty())
          << file << c.pointer << ": " << c.id << " waits for operation " << c.waits_for->operation
          << (is_there ? ", which is there" : ", which is not there, so nothing of it can be lacking");
      EXPECT_TRUE(!c.quantity || why_it_waits(c) != "")
          << file << c.pointer << ": " << c.id << " need not wait";
    }
}

}  // namespace
}  // namespace ablate::committed_suites_test
