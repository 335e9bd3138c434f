// Every point of every operation, as far as can be told without a GPU: its launch function takes its values,
// launches something, and something else than at the other values of a switch.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "harness/cli/catalog.h"
#include "harness/device/chip.h"
#include "harness/registry/pairs.h"
#include "harness/registry/registry.h"
#include "kernels/common/unsupported.h"
#include "tests/support/capability.h"
#include "tests/support/made_operations.h"

namespace ablate::described_points_test {
namespace {

const chip& h200() { return *std::ranges::find(chips(), "h200", &chip::name); }

/// One line a launch.
std::string launches_of(const operation& of, const variant_facts& v) {
  std::string out;
  for (const kernel_launch& launch : described_launches(of, v, h200()))
    out += fmt::format("{} {} {} {} {} {} {} {}\n", launch.function, launch.symbol, launch.grid.x,
                       launch.grid.y, launch.block.x, launch.dynamic_shared_bytes, launch.cluster_blocks,
                       launch.overlaps_previous);
  return out;
}

/// What each point of an operation launches. Points that need a library that this machine lacks are left out.
std::map<const variant_facts*, std::string> described(const operation& of) {
  std::map<const variant_facts*, std::string> out;
  for (const variant_facts* point : points_of(of)) {
    try {
      out.emplace(point, launches_of(of, *point));
    } catch (const unsupported&) {
      continue;
    }
  }
  return out;
}

/// Switches whose values reach a kernel as its arguments, order work among streams, or matter away from the
/// default axes alone: at the default axes two points that differ in one of them launch the same.
const std::set<std::string> seen_in_no_launch = {
    "backbone/pools",                     // a stream
    "backbone/tiles",                     // by the windows' number
    "block_pooling/neighbors",            // an argument
    "block_pooling_backward/neighbors",   // an argument
    "compression_attention/first_keys",   // an argument
    "gated_attention/first_keys",         // an argument
    "gated_attention_backward/backward",  // a stream
    "gated_attention_backward/first_keys",
    "hash_search/insert",        // of the table that is there before
    "kernel_map/coarse_stride",  // an argument
    "selection_attention/grid",  // an argument
    "serialize/sort_bits",       // a library's argument
    "sparse_conv/offsets",       // an argument
    "sparse_conv/rows",          // an argument
    "window_attention/rows",     // an argument
    "window_attention_backward/rows",
};

TEST(DescribedPoints, LaunchSomething) {
  if (!ABLATE_HAS_CUDA) ABLATE_LACKS("cuda", "nothing is launched without kernels");
  for (const auto& of : operations()) {
    if (test_support::is_made_up(*of)) continue;
    for (const auto& [point, launches] : described(*of))
      EXPECT_FALSE(launches.empty()) << of->name << '/' << point->name;
  }
}

/// A launch function that ignores a value it is said to take would measure the same kernel under two names.
TEST(DescribedPoints, EverySwitchChangesWhatIsLaunched) {
  if (!ABLATE_HAS_CUDA) ABLATE_LACKS("cuda", "nothing is launched without kernels");
  std::set<std::string> without_effect;
  for (const auto& of : operations()) {
    if (test_support::is_made_up(*of)) continue;
    const std::map<const variant_facts*, std::string> launches = described(*of);
    std::set<std::string> compared, with_effect;
    for (const point_pair& pair : pairs_of(*of)) {
      const auto one = launches.find(pair.one), other = launches.find(pair.other);
      if (one == launches.end() || other == launches.end()) continue;
      compared.insert(of->name + '/' + pair.differs_in);
      if (one->second != other->second) with_effect.insert(of->name + '/' + pair.differs_in);
    }
    std::ranges::set_difference(compared, with_effect, std::inserter(without_effect, without_effect.end()));
  }
  EXPECT_EQ(without_effect, seen_in_no_launch);
}

/// Beside those above: the switches that some variant takes with nothing to see in its launches, though they
/// are seen in those of another.
const std::set<std::string> seen_in_some_launches = {
    "backbone/weights",                   // a stream
    "block/weights",                      // a stream
    "gated_attention/branches",           // a stream
    "gated_attention_backward/branches",  // a stream
    "kernel_map/rule",                    // where cells are counted
    "pool/prefetch_kib",                  // an argument
    "voxelize/sort",                      // an argument
    "window_attention/tiles",             // by the windows' number
};

TEST(DescribedPoints, EachSwitchThatAVariantTakesChangesWhatItLaunches) {
  if (!ABLATE_HAS_CUDA) ABLATE_LACKS("cuda", "nothing is launched without kernels");
  std::set<std::string> without_effect;
  for (const auto& of : operations()) {
    if (test_support::is_made_up(*of)) continue;
    const std::map<const variant_facts*, std::string> launches = described(*of);
    for (const variant_facts& v : of->variants) {
      if (!launches.contains(&v)) continue;
      for (const switch_range& range : v.takes) {
        const std::string name = of->name + '/' + range.name;
        const bool is_seen = std::ranges::any_of(range.values, [&](const std::string& value) {
          const auto point = launches.find(of->point(v, {{range.name, value}}));
          return point == launches.end() || point->second != launches.at(&v);
        });
        if (!is_seen && !seen_in_no_launch.contains(name)) without_effect.insert(name);
      }
    }
  }
  EXPECT_EQ(without_effect, seen_in_some_launches);
}

}  // namespace
}  // namespace ablate::described_points_test
