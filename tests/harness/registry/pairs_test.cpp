#include "harness/registry/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "harness/registry/define.h"
#include "harness/registry/registry.h"
#include "tests/support/made_operations.h"
#include "tests/support/named_variant.h"

namespace ablate::pairs_test {
namespace {

using test_support::made_launch;
using test_support::made_problem;

/// A table in shared memory has entries; what is loaded by vectors takes another type than what is not.
const bool made_dependent_is_defined = define<made_problem>(
    {.name = "made_dependent",
     .description = "a kernel with switches that depend on others",
     .axes = {axis::of_words("type", {"int", "float"}, "of the sum")},
     .baseline = "plain",
     .problem = [](const axis_values&, const input_library&) { return made_problem{}; },
     .buffers = [](made_problem&) { return bound_buffers(); },
     .prepare = [](const made_problem&, const axis_values&,
                   const input_library&) { return test_support::made_workload(); },
     .switches = {{"smem", "whether a table is in shared memory", {{"on", "it is"}}},
                  only_with("smem", {"on"}, {"entries", "of the table", {{"64"}, {"128"}}}),
                  {"pdl", "whether it begins early", {{"on", "it does"}}},
                  {"word", "of an addition", {{"64", "two counters"}}}},
     .variants = {{"plain", made_launch, {}, "as it is", {.takes = {{"pdl", {"on"}, 90}}}},
                  {"table",
                   made_launch,
                   {{"smem", "on"}, {"entries", "64"}},
                   "with a table",
                   {.takes = {{"entries", {"128"}}, {"pdl", {"on"}, 90}}}},
                  {"wide", made_launch, {{"word", "64"}}, "two at once", {.only_where = {{"type", {"int"}}}}},
                  {"wide_early",
                   made_launch,
                   {{"word", "64"}, {"pdl", "on"}},
                   "two at once, early",
                   {.only_where = {{"type", {"float"}}}}}}});

const operation& dependent() { return *find_operation("made_dependent"); }

std::optional<std::string> difference(const char* a, const char* b) {
  return only_difference(dependent(), test_support::named_variant(dependent(), a),
                         test_support::named_variant(dependent(), b));
}

TEST(Pairs, PointsAreVariantsAndWhatTheirLaunchFunctionsTake) {
  std::vector<std::string> names;
  for (const variant_facts* point : points_of(dependent())) names.push_back(point->name);
  EXPECT_THAT(names, ::testing::ElementsAre("plain", "plain+pdl", "table", "table+entries=128", "table+pdl",
                                            "table+entries=128+pdl", "wide", "wide_early"));
}

TEST(Pairs, ASwitchThatMeansNothingInOneOfThemFollowsFromTheOneItDependsOn) {
  EXPECT_EQ(difference("plain", "table"), "smem");
  EXPECT_EQ(difference("table+entries=128", "plain"), "smem") << "whatever the entries";
  EXPECT_EQ(difference("table", "table+entries=128"), "entries");
  EXPECT_EQ(difference("plain", "plain+pdl"), "pdl") << "off where it is not stated";
  EXPECT_EQ(difference("plain+pdl", "table"), std::nullopt);
  EXPECT_EQ(difference("plain", "wide_early"), std::nullopt);
  EXPECT_EQ(difference("plain", "plain"), std::nullopt);
}

TEST(Pairs, MeetAtTheSameAxes) {
  EXPECT_EQ(difference("wide", "wide_early"), "pdl");
  std::multiset<std::string> found;
  for (const point_pair& pair : pairs_of(dependent())) found.insert(pair.differs_in);
  EXPECT_EQ(found.count("smem"), 4u) << "64 or 128 entries, early or not";
  EXPECT_EQ(found.count("entries"), 2u);
  EXPECT_EQ(found.count("pdl"), 3u) << "not wide and wide_early, which run on other types";
  EXPECT_EQ(found.count("word"), 2u);
}

/// What `only_with` promises. Operations may share a declaration, so each has one of its conditions at least.
TEST(Pairs, NoPointStatesASwitchThatMeansNothingThere) {
  for (const auto& of : operations()) {
    for (const switch_facts& s : of->switches) {
      std::set<std::string> declared, conditions;
      for (const switch_facts& other : of->switches)
        for (const switch_value& value : other.values) declared.insert(other.name + '=' + value.word);
      for (const auto& [other, values] : s.only_with)
        for (const std::string& value : values) conditions.insert(other + '=' + value);
      std::set<std::string> known;
      std::ranges::set_intersection(conditions, declared, std::inserter(known, known.end()));
      EXPECT_EQ(known.empty(), conditions.empty()) << of->name << ": " << s.name;
    }
    for (const variant_facts* point : points_of(*of))
      for (const switch_entry& entry : point->switches) {
        const bool says_something = entry.second != "off" && entry.second != "none";
        EXPECT_TRUE(!says_something || has_meaning(*of, entry.first, *point))
            << of->name << '/' << point->name << " states " << entry.first;
      }
  }
}

}  // namespace
}  // namespace ablate::pairs_test
