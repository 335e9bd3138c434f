// Presets are held to the registry, and `best` to the committed records.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/record/record.h"
#include "harness/registry/registry.h"
#include "tests/support/committed_records.h"
#include "tests/support/made_operations.h"

namespace ablate::committed_presets_test {
namespace {

TEST(Presets, NameVariantsOfTheirOperation) {
  for (const auto& of : operations()) {
    for (const auto* names : {&of->presets.published, &of->presets.best})
      for (const std::string& name : *names) EXPECT_TRUE(of->find_variant(name)) << of->name << ": " << name;
    EXPECT_TRUE(of->preset("another").empty());
  }
}

TEST(Presets, GiveWayToAVariantOfTheirName) {
  const operation& of = *find_operation("gated_attention");
  EXPECT_TRUE(of.preset("published").empty());
  EXPECT_EQ(of.presets.published, std::vector<std::string>{"published"});
}

/// By workload, with the median of each variant that today's program has.
using medians = std::map<std::string, std::map<std::string, double>>;

std::map<std::string, medians> measured_workloads() {
  std::map<std::string, medians> out;
  for (const auto& path : test_support::committed_records()) {
    const record r = read_record(path);
    for (const measured_case& c : r.cases) {
      const operation* of = find_operation(c.operation);
      if (!of || c.variant == "reference" || !of->find_variant(c.variant)) continue;
      std::string workload = path.string() + c.cache_state + c.time.method;
      for (const auto& [name, value] : c.axes) workload += "/" + name + "=" + value;
      out[c.operation][workload][c.variant] = c.time.median_us;
    }
  }
  return out;
}

TEST(CommittedPresets, OneOfTheBestIsFastestNearlyEverywhere) {
  for (const auto& [name, workloads] : measured_workloads()) {
    const std::vector<std::string>& best = find_operation(name)->presets.best;
    if (!find_operation(name)->calibrations.empty()) continue;
    std::size_t compared = 0, missed = 0;
    for (const auto& [workload, medians_us] : workloads) {
      if (medians_us.size() < 2) continue;
      ++compared;
      const auto fastest =
          std::ranges::min_element(medians_us, {}, [](const auto& one) { return one.second; });
      const auto is_near = [&](const std::string& variant) {
        const auto found = medians_us.find(variant);
        return found != medians_us.end() && found->second <= 1.02 * fastest->second;
      };
      if (std::ranges::none_of(best, is_near)) ++missed;
    }
    EXPECT_EQ(best.empty(), compared == 0) << name;
    EXPECT_LE(missed, 1 + compared / 10) << name << ": of " << compared << " workloads";
  }
}

}  // namespace
}  // namespace ablate::committed_presets_test
