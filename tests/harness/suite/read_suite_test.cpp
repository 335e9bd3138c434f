#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "harness/registry/registry.h"
#include "harness/suite/suite.h"
#include "tests/harness/suite/suite_in_text.h"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

namespace ablate::read_suite_test {
namespace {

using test_support::suite_in;
using test_support::temporary_directory;

std::string with_blocks(const std::string& blocks, const std::string& more = "") {
  return R"({"name": "s", "description": "d", )" + more + R"("cases": [)" + blocks + "]}";
}

/// What the reader says of a suite, without the file's name.
std::string refusal(const std::string& text) {
  const temporary_directory files;
  const auto path = files.write("s.json", text);
  try {
    read_suite(path);
  } catch (const bad_input& e) {
    const std::string prefix = path.string() + ": ", what = e.what();
    EXPECT_TRUE(what.starts_with(prefix)) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << "not one line: " << what;
    return what.substr(prefix.size());
  }
  return "accepted";
}

const std::string made = R"({"operation": "made_sum"})";

TEST(ReadSuite, ReadsInHowManyLaunches) {
  const auto of = [](const std::string& launches) {
    return with_blocks(made, R"("launches": )" + launches + ", ");
  };
  EXPECT_EQ(suite_in(with_blocks(made)).launches.most, 1);
  const suite fixed = suite_in(of(R"({"least": 6})"));
  EXPECT_EQ(fixed.launches.least, 6);
  EXPECT_EQ(fixed.launches.most, 6);
  EXPECT_FALSE(fixed.launches.until_decided);
  EXPECT_EQ(suite_in(of(R"({"least": 6, "most": 24})")).launches.most, 24);
  EXPECT_THAT(refusal(of(R"({"most": 6})")), testing::StartsWith("/launches: "));
  EXPECT_THAT(refusal(of(R"({"least": 6, "most": 5})")), testing::StartsWith("/launches/most: "));
  EXPECT_THAT(refusal(of(R"({"least": 0})")), testing::StartsWith("/launches/least: "));
  EXPECT_THAT(refusal(of(R"({"least": 1, "until": "every question decide"})")),
              testing::HasSubstr("'every question decided'"));
}

TEST(ReadSuite, ReadsEverythingThatASuiteCanSay) {
  const suite s = suite_in(R"({
    "$schema": "schema.json", "name": "all", "description": "everything", "seed": 18446744073709551615,
    "point_files": {"street": {"path": "data:street.bin", "floats_per_point": 5, "sweeps": 6}, "yard": {"path": "scans/yard.bin"}},
    "sampling": {"minimum_samples": 10, "maximum_samples": 20, "half_width": 0.01, "maximum_seconds": 2},
    "case_limit_seconds": 7.5, "maximum_cases": 12,
    "report": {"later": [{"anything": null}, "question"], "question": 7},
    "cases": [{"operation": "made_sum", "variants": ["staged", "plain", "staged"],
               "axes": {"points": [5, "0010", 5], "shape": "street"}, "cache": ["hot", "rotating"],
               "exclude": [{"variant": "plain", "points": [10]}]}]})");
  EXPECT_EQ(s.name, "all");
  EXPECT_EQ(s.description, "everything");
  EXPECT_EQ(s.hash.size(), 16u);
  EXPECT_EQ(s.seed, 18446744073709551615u);
  EXPECT_EQ(s.point_files.at("street").path, "data:street.bin");
  EXPECT_EQ(s.point_files.at("street").floats_per_point, 5);
  EXPECT_EQ(s.point_files.at("street").sweeps, 6);
  EXPECT_EQ(s.point_files.at("yard").sweeps, 1);
  EXPECT_EQ(s.point_files.at("yard").path, (s.path.parent_path() / "scans/yard.bin").string());
  EXPECT_EQ(s.point_files.at("yard").floats_per_point, 4);
  EXPECT_EQ(s.report.dump(), R"({"later":[{"anything":null},"question"],"question":7})");
  EXPECT_EQ(s.sampling.minimum_samples, 10);
  EXPECT_EQ(s.sampling.maximum_samples, 20);
  EXPECT_EQ(s.sampling.half_width, 0.01);
  EXPECT_EQ(s.sampling.maximum_seconds, 2);
  EXPECT_EQ(s.case_limit_seconds, 7.5);
  EXPECT_EQ(s.maximum_cases, 12u);
  ASSERT_EQ(s.blocks.size(), 1u);
  const suite_block& block = s.blocks[0];
  EXPECT_EQ(block.operation->name, "made_sum");
  ASSERT_EQ(block.variants.size(), 2u);
  EXPECT_EQ(block.variants[0]->name, "staged");
  EXPECT_EQ(block.variants[1]->name, "plain");
  const decltype(block.axes) axes = {{"mode", {"int"}}, {"points", {"5", "10"}}, {"shape", {"street"}}};
  EXPECT_EQ(block.axes, axes);
  EXPECT_EQ(block.cache_states, (std::vector{cache_state::hot, cache_state::rotating}));
  EXPECT_EQ(block.exclusions, (std::vector<exclusion>{{{"variant", {"plain"}}, {"points", {"10"}}}}));
}

/// Keys of a later version, too, in their order: reports alone know what they mean.
TEST(ReadSuite, CarriesWhatItSaysToReportsUnread) {
  for (const char* report : {R"({"later":{"z":1,"a":[0.5,null]},"question":{"text":"?","color":"green"}})",
                             "[1]", R"("words")", "7"}) {
    const suite s = suite_in(with_blocks(made, "\"report\": " + std::string(report) + ", "));
    EXPECT_EQ(s.report.dump(), report);
    EXPECT_TRUE(s.joins.empty());
  }
  EXPECT_TRUE(suite_in(with_blocks(made)).report.is_null());
}

TEST(ReadSuite, WhatIsNotSaidHasItsDefault) {
  const suite s = suite_in(with_blocks(made));
  EXPECT_EQ(s.seed, 1u);
  EXPECT_EQ(s.sampling.minimum_samples, 30);
  EXPECT_EQ(s.maximum_cases, 1000u);
  EXPECT_EQ(s.blocks[0].variants.size(), 3u);
  EXPECT_EQ(s.blocks[0].cache_states, std::vector{cache_state::cold_clean});
  EXPECT_EQ(s.blocks[0].axes[1].second, std::vector<std::string>{"1000"});
}

TEST(ReadSuite, AStarStandsForAllVariants) {
  EXPECT_EQ(suite_in(with_blocks(R"({"operation": "made_sum", "variants": ["hopper", "*"]})"))
                .blocks[0]
                .variants.size(),
            3u);
}

std::vector<std::string> variants_of(const std::string& block) {
  std::vector<std::string> out;
  const suite s = suite_in(with_blocks(block));
  for (const variant_facts* v : s.blocks.at(0).variants) out.push_back(v->name);
  return out;
}

TEST(ReadSuite, VariantsOfEarlierVersionsAreFound) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(variants_of(R"({"operation": "voxelize", "variants": ["warp_match_overlapped"]})"),
            std::vector<std::string>{"warp_match+pdl"});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), ::testing::HasSubstr("warp_match+pdl"));
}

TEST(ReadSuite, PresetsStandForVariants) {
  EXPECT_EQ(variants_of(R"({"operation": "made_tuned", "variants": ["baseline"]})"),
            std::vector<std::string>{"plain"});
  EXPECT_EQ(variants_of(R"({"operation": "serialize", "variants": ["published", "baseline"]})"),
            std::vector<std::string>{"tables"});
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_tuned", "variants": ["best"]})")).substr(0, 34),
            "/cases/0/variants/0: no variant of");
}

TEST(ReadSuite, PointsAreNamedOrChosenBySwitches) {
  EXPECT_EQ(variants_of(R"({"operation": "made_tuned", "variants": ["plain+pdl+threads=128", "plain+pdl"]})"),
            (std::vector<std::string>{"plain+threads=128+pdl", "early"}));
  EXPECT_EQ(
      variants_of(
          R"({"operation": "made_tuned", "variants": ["plain"], "switches": {"threads": [128, 512], "pdl": "*"}})"),
      (std::vector<std::string>{"plain+threads=128", "plain+threads=128+pdl", "plain+threads=512",
                                "plain+threads=512+pdl"}));
  EXPECT_EQ(
      refusal(with_blocks(R"({"operation": "made_tuned", "variants": ["plain+threads=129"]})")),
      "/cases/0/variants/0: no value of switch 'threads' that variant 'plain' accepts '129' (did you mean '128'?); "
      "expected one of '128', '512'");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_tuned", "variants": ["other+pdl"]})")),
            "/cases/0/variants/0: variant 'other' accepts no switches but its own");
  EXPECT_EQ(
      refusal(with_blocks(R"({"operation": "made_tuned", "switches": {"pld": "on"}})")),
      "/cases/0/switches/pld: no switch of 'made_tuned' 'pld' (did you mean 'pdl'?); expected one of 'threads', 'pdl'");
  EXPECT_EQ(refusal(with_blocks(
                R"({"operation": "made_tuned", "variants": ["other"], "switches": {"threads": 128}})")),
            "/cases/0/switches: no variant of the block has or accepts these values");
}

TEST(ReadSuite, OtherBytesGiveAnotherHash) {
  EXPECT_NE(suite_in(with_blocks(made)).hash, suite_in(with_blocks(made) + " ").hash);
  EXPECT_EQ(suite_in(with_blocks(made)).hash, suite_in(with_blocks(made)).hash);
}

TEST(ReadSuite, NamesTheFileThatCannotBeOpened) {
  try {
    read_suite("nowhere/at/all.json");
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_STREQ(e.what(), "nowhere/at/all.json: expected a readable file");
  }
  const temporary_directory files;
  EXPECT_THROW(read_suite(files.path()), bad_input);
}

TEST(ReadSuite, NamesTheLineOfBrokenJson) {
  EXPECT_EQ(refusal("{\n  \"name\": \"s\",\n  oops\n}"),
            "line 3, /: expected JSON (numbers are finite: neither NaN nor Infinity)");
}

TEST(ReadSuite, RefusesKeysThatItDoesNotKnowAndNamesTheNearest) {
  EXPECT_EQ(
      refusal(R"({"name": "s", "description": "d", "case": []})"),
      "/case: no key 'case' (did you mean 'cases'?); expected one of '$schema', 'name', 'description', "
      "'seed', "
      "'point_files', 'sampling', 'case_limit_seconds', 'maximum_cases', 'counters', 'energy', 'steady_clock', 'launches', "
      "'report', 'cases'");
  EXPECT_EQ(
      refusal(with_blocks(R"({"operation": "made_sum", "axis": {}})")),
      "/cases/0/axis: no key 'axis' (did you mean 'axes'?); expected one of 'operation', 'variants', "
      "'switches', 'axes', 'cache', 'exclude', 'counters', 'picture', 'sampled', 'energy', 'steady_clock'");
  EXPECT_EQ(refusal(with_blocks(made, R"("sampling": {"seconds": 1}, )")),
            "/sampling/seconds: no key 'seconds'; expected one of 'minimum_samples', 'maximum_samples', "
            "'half_width', "
            "'maximum_seconds'");
  EXPECT_EQ(refusal(with_blocks(made, R"("a/b~c": 1, )")).substr(0, 27), "/a~1b~0c: no key 'a/b~c'; e");
}

TEST(ReadSuite, RefusesWhatIsMissing) {
  EXPECT_EQ(refusal(R"({"description": "d", "cases": []})"), "/: expected a key 'name', found none");
  EXPECT_EQ(refusal(with_blocks(made + ", {}")), "/cases/1: expected a key 'operation', found none");
  EXPECT_EQ(refusal(with_blocks(made, R"("point_files": {"a": {}}, )")),
            "/point_files/a: expected a key 'path', found none");
  EXPECT_EQ(refusal(with_blocks("")),
            "/cases: expected an array of at least one block of cases, found an empty array");
  EXPECT_EQ(refusal("[]"), "/: expected an object, found an empty array");
}

TEST(ReadSuite, RefusesAnUnknownOperationVariantAndAxis) {
  std::string known;
  for (const auto& op : operations()) known += (known.empty() ? "'" : ", '") + op->name + "'";
  EXPECT_EQ(
      refusal(with_blocks(R"({"operation": "made_sun"})")),
      "/cases/0/operation: no operation 'made_sun' (did you mean 'made_sum'?); expected one of " + known);
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "variants": ["plain", "stage"]})")),
            "/cases/0/variants/1: no variant of 'made_sum' 'stage' (did you mean 'staged'?); expected one of "
            "'plain', "
            "'staged', 'hopper'");
  EXPECT_EQ(
      refusal(with_blocks(R"({"operation": "made_sum", "axes": {"point": 1}})")),
      "/cases/0/axes/point: no axis of 'made_sum' 'point' (did you mean 'points'?); expected one of 'mode', "
      "'points', 'shape'");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "cache": ["cold"]})")),
            "/cases/0/cache/0: no cache state 'cold'; expected one of 'cold-clean', 'hot', 'rotating'");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "cache": "host"})")),
            "/cases/0/cache: no cache state 'host' (did you mean 'hot'?); expected one of 'cold-clean', "
            "'hot', 'rotating'");
}

TEST(ReadSuite, RefusesAxisValuesThatAreNotLegal) {
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "axes": {"mode": ["int", "flaot"]}})")),
            "/cases/0/axes/mode/1: 'flaot' is no value of axis 'mode': expected 'int', 'float' (did you mean "
            "'float'?)");
  EXPECT_EQ(
      refusal(with_blocks(R"({"operation": "made_sum", "axes": {"points": -1}})")),
      "/cases/0/axes/points: '-1' is no value of axis 'points': expected an integer from 0 to 1099511627776");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "axes": {"points": 99999999999999999999}})")),
            "/cases/0/axes/points: expected an integer or a word, found 1e+20");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "axes": {"points": 1.5}})")),
            "/cases/0/axes/points: expected an integer or a word, found 1.5");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "axes": {"points": []}})")),
            "/cases/0/axes/points: expected an array of at least one value, found an empty array");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "axes": {"points": [[1]]}})")),
            "/cases/0/axes/points/0: expected an integer or a word, found an array");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "axes": []})")),
            "/cases/0/axes: expected an object, found an empty array");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "axes": {"shape": "stret"}})",
                                R"("point_files": {"street": {"path": "x"}}, )")),
            "/cases/0/axes/shape: 'stret' is no value of axis 'shape': expected 'flat', 'round', 'street' "
            "(did you mean "
            "'street'?)");
}

TEST(ReadSuite, RefusesExclusionsThatNameNothing) {
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "exclude": [{"varient": "plain"}]})")),
            "/cases/0/exclude/0/varient: no axis of 'made_sum' 'varient' (did you mean 'variant'?); expected "
            "one of "
            "'variant', 'mode', 'points', 'shape'");
  EXPECT_EQ(
      refusal(with_blocks(R"({"operation": "made_sum", "exclude": [{}]})")),
      "/cases/0/exclude/0: expected an object with a value for at least one axis, found an empty object");
}

TEST(ReadSuite, RefusesNumbersOutOfBounds) {
  EXPECT_EQ(refusal(with_blocks(made, R"("seed": -1, )")),
            "/seed: expected an integer from 0 to 18446744073709551615, found -1");
  EXPECT_EQ(refusal(with_blocks(made, R"("maximum_cases": 0, )")),
            "/maximum_cases: expected an integer from 1 to 100000, found 0");
  EXPECT_EQ(refusal(with_blocks(made, R"("maximum_cases": 18446744073709551615, )")),
            "/maximum_cases: expected an integer from 1 to 100000, found 18446744073709551615");
  EXPECT_EQ(refusal(with_blocks(made, R"("case_limit_seconds": 0, )")),
            "/case_limit_seconds: expected a number above 0 and at most 86400 seconds, found 0");
  EXPECT_EQ(refusal(with_blocks(made, R"("sampling": {"half_width": "small"}, )")),
            "/sampling/half_width: expected a number above 0 and at most 1 (1 is the median itself), found "
            "\"small\"");
  EXPECT_EQ(refusal(with_blocks(made, R"("sampling": {"minimum_samples": 50, "maximum_samples": 40}, )")),
            "/sampling: minimum_samples is 50 and maximum_samples 40; expected the minimum to be at most the "
            "maximum");
  EXPECT_EQ(refusal(with_blocks(made, R"("point_files": {"a": {"path": "x.bin", "floats_per_point": 2}}, )")),
            "/point_files/a/floats_per_point: expected an integer from 3 to 64, found 2");
  EXPECT_EQ(refusal(with_blocks(made, R"("point_files": {"a": {"path": "x", "sweeps": 0}}, )")),
            "/point_files/a/sweeps: expected an integer from 1 to 1000, found 0");
  EXPECT_EQ(
      refusal(with_blocks(made, R"("point_files": {"a": {"path": "data:x.ply", "floats_per_point": 4}}, )")),
      "/point_files/a/floats_per_point: expected none: only raw records (.bin) have it, other files describe "
      "themselves");
  EXPECT_EQ(refusal(with_blocks(
                made, R"("point_files": {"a": {"path": "data:x.PCD.bin", "floats_per_point": 4}}, )")),
            "/point_files/a/floats_per_point: expected 5, as every .pcd.bin has, found 4");
}

TEST(ReadSuite, RefusesNamesThatCannotStandInACaseId) {
  EXPECT_EQ(refusal(R"({"name": "a b", "description": "", "cases": []})"),
            "/name: 'a b' is not allowed in a case id; expected letters, digits and _.=+-");
  EXPECT_EQ(refusal(R"({"name": "..", "description": "", "cases": []})"),
            "/name: '..' cannot name a folder; expected a name");
  EXPECT_EQ(refusal(with_blocks(made, R"("point_files": {"a/b": {"path": "x"}}, )")),
            "/point_files/a~1b: 'a/b' is not allowed in a case id; expected letters, digits and _.=+-");
  EXPECT_EQ(refusal(with_blocks(made, R"("point_files": {"flat": {"path": "x"}}, )")),
            "/point_files/flat: 'flat' is a word of axis 'shape' already; expected a new name");
  EXPECT_EQ(refusal(with_blocks(made, R"("point_files": {"a": {"path": "data:"}}, )")),
            "/point_files/a/path: expected 'data:NAME' or a path, found \"data:\"");
}

/// The keys that the reader says it knows at a place.
std::vector<std::string> keys_known(const std::string& text) {
  const std::string what = refusal(text);
  std::vector<std::string> keys;
  std::size_t at = what.find("expected one of ");
  while ((at = what.find('\'', at)) != std::string::npos) {
    const std::size_t end = what.find('\'', at + 1);
    keys.push_back(what.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return keys;
}

std::vector<std::string> properties(const nlohmann::ordered_json& schema) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : schema.at("properties").items()) keys.push_back(key);
  return keys;
}

TEST(ReadSuite, ReadsTheCountersOfTheSuiteAndOfABlock) {
  const suite s =
      suite_in(with_blocks(R"({"operation": "made_sum", "counters": "full"}, {"operation": "made_sum"})",
                           R"("counters": "core,atomics", )"));
  EXPECT_EQ(s.counters, "core,atomics");
  EXPECT_EQ(s.blocks[0].counters, "full");
  EXPECT_EQ(s.blocks[1].counters, std::nullopt);
  EXPECT_EQ(suite_in(with_blocks(made)).counters, "none");
}

TEST(ReadSuite, ReadsWhetherABlockWantsPictures) {
  const suite s =
      suite_in(with_blocks(R"({"operation": "made_sum", "picture": true}, {"operation": "made_sum"},
                          {"operation": "made_sum", "picture": false})"));
  EXPECT_TRUE(s.blocks[0].picture);
  EXPECT_FALSE(s.blocks[1].picture);
  EXPECT_FALSE(s.blocks[2].picture);
  const suite sampled =
      suite_in(with_blocks(R"({"operation": "made_sum", "sampled": true}, {"operation": "made_sum"})"));
  EXPECT_TRUE(sampled.blocks[0].sampled);
  EXPECT_FALSE(sampled.blocks[1].sampled);
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "sampled": "always"})")),
            "/cases/0/sampled: expected true or false, found \"always\"");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "picture": 1})")),
            "/cases/0/picture: expected true or false, found 1");
  EXPECT_EQ(refusal(with_blocks(R"({"operation": "made_sum", "picture": "yes"})")),
            "/cases/0/picture: expected true or false, found \"yes\"");
}

TEST(ReadSuite, ReadsWhichCasesAreToRunAtASteadyClock) {
  const suite s =
      suite_in(with_blocks(R"({"operation": "made_sum", "steady_clock": false}, {"operation": "made_sum"})",
                           R"("steady_clock": true, )"));
  EXPECT_TRUE(s.steady_clock);
  EXPECT_EQ(s.blocks[0].steady_clock, false);
  EXPECT_EQ(s.blocks[1].steady_clock, std::nullopt);
  EXPECT_FALSE(suite_in(with_blocks(made)).steady_clock);
  EXPECT_EQ(refusal(with_blocks(made, R"("steady_clock": 5, )")),
            "/steady_clock: expected true or false, found 5");
}

TEST(ReadSuite, EnergyIsOfTheSuiteOrOfABlock) {
  const suite s = suite_in(with_blocks(
      R"({"operation": "made_sum", "energy": false}, {"operation": "made_sum"})", R"("energy": true, )"));
  EXPECT_TRUE(s.energy);
  EXPECT_EQ(s.blocks[0].energy, false);
  EXPECT_EQ(s.blocks[1].energy, std::nullopt);
  EXPECT_EQ(refusal(with_blocks(made, R"("energy": "yes", )")),
            "/energy: expected true or false, found \"yes\"");
}

TEST(ReadSuite, RefusesCountersThatDoNotExist) {
  EXPECT_TRUE(refusal(with_blocks(made, R"("counters": "cores", )"))
                  .starts_with("/counters: no set of counters 'cores' (did you mean 'core'?); expected one "
                               "of 'none', 'core'"));
  EXPECT_TRUE(refusal(with_blocks(R"({"operation": "made_sum", "counters": ""})"))
                  .starts_with("/cases/0/counters: no set of counters ''"));
  EXPECT_EQ(refusal(with_blocks(made, R"("counters": 3, )")), "/counters: expected a string, found 3");
}

TEST(ReadSuite, ThePublishedSchemaHasTheKeysThatTheReaderTakes) {
  const std::string path = test_support::source_path("suites/schema.json");
  const auto schema = reports::parse_json_file(path);
  EXPECT_EQ(properties(schema), keys_known(with_blocks(made, R"("?": 1, )")));
  EXPECT_EQ(properties(schema["$defs"]["block"]), keys_known(with_blocks(R"({"?": 1})")));
  EXPECT_EQ(properties(schema["properties"]["sampling"]),
            keys_known(with_blocks(made, R"("sampling": {"?": 1}, )")));
  EXPECT_EQ(properties(schema["properties"]["point_files"]["additionalProperties"]),
            keys_known(with_blocks(made, R"("point_files": {"a": {"?": 1}}, )")));
}

}  // namespace
}  // namespace ablate::read_suite_test
