#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "harness/registry/define_kernel.h"
#include "harness/registry/registry.h"
#include "harness/suite/override.h"
#include "harness/suite/suite.h"
#include "tests/harness/suite/suite_in_text.h"
#include "tests/support/refusal.h"

namespace ablate::number_axis_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class rounding { nearest, down };
const axis_words<rounding> roundings = {{"nearest", rounding::nearest}, {"down", rounding::down}};

std::vector<kernel_array> arrays(const axis_values& at) {
  const auto kept = static_cast<std::int64_t>(1000 * at.number("keep_mass"));
  return {input_floats("x", 1000),
          output_of<float>("out", at.choice("rounding", roundings) == rounding::down ? kept : kept + 1)};
}
void reference(const spans&) {}
void launch_nothing(launcher&, const spans&, const switches&) {}

const bool defined =
    define_kernel({.name = "made_keeping",
                   .description = "keeps a share",
                   .axes = {axis::of_numbers("keep_mass", 1e-7, 1, 0.50, "share that is kept"),
                            axis::of_words("rounding", roundings, "of the share")},
                   .arrays = arrays,
                   .baseline = "plain",
                   .reference = reference,
                   .variants = {{"plain", launch_nothing, {}, "plain"},
                                {"halves",
                                 launch_nothing,
                                 {{"half", "on"}},
                                 "only of halves",
                                 {.only_where = {{"keep_mass", {"0.50"}}}}}}});

suite suite_of(const std::string& values) {
  return test_support::suite_in(
      R"({"name": "s", "description": "d", "cases": [{"operation": "made_keeping", "axes": {"keep_mass": )" +
      values + "}}]}");
}

std::vector<std::string> ids_of(const suite& s, const std::string& filter = "") {
  std::vector<std::string> out;
  for (const suite_case& c : expand(s, {}, input_library(1, {}, {}), filter))
    if (c.ceiling.empty()) out.push_back(c.id);
  return out;
}

const std::string half = "made_keeping/plain/keep_mass=0.5/rounding=nearest/@cold-clean",
                  half_of_halves = "made_keeping/halves/keep_mass=0.5/rounding=nearest/@cold-clean",
                  quarter = "made_keeping/plain/keep_mass=0.25/rounding=nearest/@cold-clean",
                  tiny = "made_keeping/plain/keep_mass=1e-07/rounding=nearest/@cold-clean";

TEST(NumberAxis, AValueHasOneSpellingInIds) {
  for (const char* values : {"0.5", "0.50", "\"0.50\"", "[5e-1]", "\".5\""})
    EXPECT_THAT(ids_of(suite_of(values)), ElementsAre(half, half_of_halves)) << values;
  EXPECT_THAT(ids_of(suite_of("1e-7")),
              ElementsAre(HasSubstr("keep_mass=1e-07"), HasSubstr("keep_mass=1e-07")));
  EXPECT_THAT(ids_of(suite_of("1.0")),
              ElementsAre(HasSubstr("plain/keep_mass=1/"), HasSubstr("halves/keep_mass=1/")));
}

TEST(NumberAxis, ConditionsHoldForAValueHoweverItIsSpelled) {
  const operation* of = find_operation("made_keeping");
  ASSERT_NE(of, nullptr);
  const variant_facts* halves = of->find_variant("halves");
  EXPECT_EQ(first_unmet(halves->only_where, {{"keep_mass", "0.5"}, {"rounding", "down"}}), nullptr);
  EXPECT_NE(first_unmet(halves->only_where, {{"keep_mass", "0.25"}, {"rounding", "down"}}), nullptr);
}

TEST(NumberAxis, SelectorsAndSettingsTakeEverySpelling) {
  const suite both = suite_of("[0.5, 0.25]");
  for (const char* filter : {"keep_mass=0.25", "keep_mass=0.250 variant=plain,halves", "keep_mass=25e-2"})
    EXPECT_THAT(ids_of(both, filter), ::testing::Contains(quarter)) << filter;
  EXPECT_THAT(ids_of(both, "keep_mass=0.25"), ::testing::Not(::testing::Contains(half)));
  EXPECT_THAT(ids_of(overridden(both, {"keep_mass=0.50,0.5,5e-1"})), ElementsAre(half, half_of_halves));
  EXPECT_THAT(ids_of(overridden(both, {"keep_mass=0.0000001", "variants=plain"})), ElementsAre(tiny));
}

TEST(NumberAxis, RefusesWhatIsNoNumberInItsRange) {
  const auto refusal = [](const std::string& values) {
    return test_support::refusal_from([&] { suite_of(values); });
  };
  EXPECT_THAT(refusal("1.5"),
              HasSubstr("'1.5' is no value of axis 'keep_mass': expected a number from 1e-07 to 1"));
  EXPECT_THAT(refusal("\"half\""), HasSubstr("expected a number from 1e-07 to 1"));
  EXPECT_THAT(refusal("\"nan\""), HasSubstr("expected a number"));
  EXPECT_THAT(refusal("[true]"), HasSubstr("expected a number or a word"));
}

TEST(NumberAxis, IsReadAsNumberAndAsWhatAWordStandsFor) {
  const operation* of = find_operation("made_keeping");
  const auto outputs = [&](const axis_values& at) {
    return of->buffers(at, input_library(1, {}, {})).at(1).bytes / sizeof(float);
  };
  EXPECT_EQ(outputs({{"keep_mass", "0.5"}, {"rounding", "down"}}), 500u);
  EXPECT_EQ(outputs({{"keep_mass", "0.25"}, {"rounding", "nearest"}}), 251u);
  EXPECT_THROW(axis_values({{"a", "word"}}).number("a"), std::invalid_argument);
  EXPECT_THROW(roundings.of("up"), std::out_of_range);
}

}  // namespace
}  // namespace ablate::number_axis_test
