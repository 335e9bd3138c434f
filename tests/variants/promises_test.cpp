// A variant whose description or switches promise the same bits each time is held to it by the harness.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/registry/registry.h"

namespace ablate::promises_test {
namespace {

/// By its description, or by a switch that says so.
bool is_promised(const variant_facts& v) {
  const auto says = [&](const char* name, const char* word) {
    return v.switches.has(name) && v.switches.word(name) == word;
  };
  return v.description.find("same bits") != std::string::npos || says("deterministic", "on") ||
         says("repeatable", "yes") || says("list_order", "fixed");
}

TEST(Promises, OfTheSameBitsAreHeldByTheHarness) {
  // These hold it by their own checks. Backbones launch their steps again on one index, since an index may
  // list its pairs in any order; pool expects the rows of a cell in their order.
  const std::set<std::string> by_their_own_checks = {"backbone", "block", "pool"};
  int promises = 0;
  for (const auto& op : operations())
    for (const variant_facts& v : op->variants) {
      promises += v.same_bits;
      if (!is_promised(v) || by_their_own_checks.contains(op->name)) continue;
      EXPECT_TRUE(v.same_bits) << op->name << "/" << v.name;
    }
  EXPECT_GE(promises, 20);
}

}  // namespace
}  // namespace ablate::promises_test
