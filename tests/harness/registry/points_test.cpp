#include "harness/registry/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/made_operations.h"
#include "tests/support/named_variant.h"

namespace ablate::points_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const operation& tuned() { return *find_operation("made_tuned"); }

TEST(Points, AreSpelledByWhereTheyDiffer) {
  const spelled_point spelled = read_point("plain+threads=128+pdl");
  EXPECT_EQ(spelled.variant, "plain");
  EXPECT_THAT(spelled.changes, ElementsAre(Pair("threads", "128"), Pair("pdl", "on")));
  EXPECT_EQ(point_name(spelled), "plain+threads=128+pdl");
  EXPECT_TRUE(read_point("plain").changes.empty());
}

TEST(Points, AreFoundWhereTheLaunchFunctionTakesTheValues) {
  const variant_facts* found = tuned().find_variant("plain+threads=128+pdl");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->name, "plain+threads=128+pdl");
  EXPECT_EQ(value_of(found->switches, "threads"), "128");
  EXPECT_EQ(value_of(found->switches, "pdl"), "on");
  EXPECT_EQ(found->minimum_compute_capability, 90);
  EXPECT_EQ(found->description, "plain with threads 128, pdl on");
  EXPECT_EQ(tuned().find_variant("plain+threads=128")->minimum_compute_capability, 80);
  for (const char* none : {"plain+threads=64", "plain+thread=128", "plain+threads", "plain+",
                           "other+threads=128", "plane+threads=128", "plain+threads=128+threads=512"})
    EXPECT_EQ(tuned().find_variant(none), nullptr) << none;
}

TEST(Points, HaveOneNameEach) {
  EXPECT_EQ(tuned().find_variant("plain+pdl+threads=128"), tuned().find_variant("plain+threads=128+pdl"));
  EXPECT_EQ(tuned().find_variant("plain+threads=256"), tuned().find_variant("plain"));
  EXPECT_EQ(tuned().find_variant("plain+pdl"), tuned().find_variant("early")) << "a variant has these values";
  EXPECT_EQ(tuned().find_variant("plain+pdl=off"), tuned().find_variant("plain"))
      << "what is not stated is off";
}

TEST(Points, LaunchTheVariantsFunctionWithTheirOwnValues) {
  const input_library inputs(1, {}, {});
  launcher to = launcher::describing({});
  test_support::made_tuned_launched().clear();
  for (const char* name : {"plain", "plain+threads=512", "early"})
    tuned().bind(test_support::named_variant(tuned(), name), {{"mode", "int"}}, inputs, {})(to);
  EXPECT_THAT(test_support::made_tuned_launched(),
              ElementsAre("threads=256 pdl=off", "threads=512 pdl=off", "threads=256 pdl=on"));
}

/// What a variant has or takes, an operation that declares its switches has said what it means.
TEST(Points, AreOfDeclaredSwitchesAndValues) {
  for (const auto& of : operations()) {
    if (of->switches.empty()) continue;
    std::map<std::string, std::set<std::string>> used;
    for (const variant_facts& v : of->variants) {
      for (const switch_entry& entry : v.switches) used[entry.first].insert(entry.second);
      for (const switch_range& range : v.takes)
        used[range.name].insert(range.values.begin(), range.values.end());
    }
    std::map<std::string, std::set<std::string>> declared;
    for (const switch_facts& s : of->switches) {
      EXPECT_FALSE(s.description.empty()) << of->name << ": " << s.name;
      EXPECT_FALSE(declared.contains(s.name)) << of->name << " declares " << s.name << " twice";
      for (const auto& [word, meaning] : s.values) {
        const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
        EXPECT_TRUE(is_number || !meaning.empty()) << of->name << ": " << s.name << '=' << word;
        if (word != "off" || used[s.name].contains(word)) declared[s.name].insert(word);
      }
    }
    std::erase_if(used, [](const auto& one) { return one.second.empty(); });
    EXPECT_EQ(used, declared) << of->name;
  }
}

/// Else a point that has the values of two variants would be either.
TEST(Points, NoVariantThatIsAPointOfAnotherHasATwin) {
  for (const auto& of : operations()) {
    if (test_support::is_made_up(*of)) continue;
    for (const variant_facts& v : of->variants)
      for (const switch_range& range : v.takes) {
        EXPECT_FALSE(range.values.empty()) << of->name << '/' << v.name << ": " << range.name;
        for (const std::string& value : range.values) {
          const variant_facts* point = of->point(v, {{range.name, value}});
          ASSERT_NE(point, nullptr) << of->name << '/' << v.name << ": " << range.name << '=' << value;
          EXPECT_NE(point, &v) << of->name << '/' << v.name << " has " << range.name << '=' << value
                               << " itself";
        }
      }
  }
}

}  // namespace
}  // namespace ablate::points_test
