#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/harness/wrapped/made_cubin.h"
#include "tests/support/capability.h"
#include "tests/support/run_program.h"

namespace ablate::wrap_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::run_ablate;
using testing::HasSubstr;

constexpr const char* add_json = R"json({
  "operation": "wrapped_add", "description": "out = x + y",
  "axes": [{"name": "elements", "minimum": 1, "maximum": 1000000, "default": 1000, "description": "elements"}],
  "arrays": [{"name": "x", "role": "input", "type": "f32", "count": "elements"},
             {"name": "out", "role": "output", "type": "f32", "count": "elements"}],
  "variants": [
    {"name": "plain", "code": "add.cubin", "grid": "ceil_div(elements, 256)",
     "block": 256, "arguments": [{"array": "x"}, {"array": "out"}, {"i32": "elements"}]},
    {"name": "hopper", "code": "hopper.cubin", "grid": "ceil_div(elements, 256)", "block": 256,
     "arguments": [{"array": "x"}, {"array": "out"}, {"i32": "elements"}]}]})json";

class Wrap : public testing::Test {
 protected:
  Wrap() {
    for (const unsigned capability : {80u, 90u})
      files_.write(capability == 80 ? "add.cubin" : "hopper.cubin",
                   wrapped_test::cubin_bytes({.parameter_bytes = {8, 8, 4}, .capability = capability}));
  }

  program_result wrapped(std::vector<std::string> words) const {
    words.insert(words.begin(), {"wrap", file_.string()});
    return run_ablate(words, {}, files_.path());
  }

  test_support::temporary_directory files_;
  const std::filesystem::path file_ = files_.write("add.json", add_json);
  const std::filesystem::path suite_ = files_.write("suite.json", R"({
      "name": "add", "description": "a wrapped operation",
      "cases": [{"operation": "wrapped_add", "axes": {"elements": [1000, 4000]}, "cache": ["cold-clean"]}]})");
};

TEST_F(Wrap, ListsTheOperation) {
  const program_result listed = wrapped({"list", "wrapped_add", "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.error;
  const auto json = ordered_json::parse(listed.out);
  EXPECT_EQ(json.at("baseline"), "plain");
  EXPECT_EQ(json.at("variants").size(), 2u);
  const program_result text = wrapped({"list", "wrapped_add"});
  EXPECT_THAT(text.out, HasSubstr("checked against its variant plain"));
}

TEST_F(Wrap, KnowsNoSpillsOfAKernelWithAStack) {
  if (!ABLATE_HAS_CUDA) ABLATE_LACKS("cuda", "without CUDA facts of kernels are the committed ones");
  files_.write("hopper.cubin", wrapped_test::cubin_bytes(
                                   {.parameter_bytes = {8, 8, 4}, .stack_bytes = 16, .capability = 90}));
  const auto json = ordered_json::parse(wrapped({"list", "wrapped_add", "--json"}).out);
  const auto& facts = json.at("kernels").at("add@hopper").at("sm_90a");
  EXPECT_EQ(facts.at("registers"), 12);
  EXPECT_EQ(facts.at("stack_bytes"), 16);
  EXPECT_TRUE(facts.at("spill_store_bytes").is_null());
  EXPECT_TRUE(facts.at("spill_load_bytes").is_null());
  EXPECT_EQ(json.at("kernels").at("add@plain").at("sm_80").at("spill_store_bytes"), 0);
  EXPECT_THAT(wrapped({"list", "wrapped_add", "--meanings"}).out, HasSubstr(" ? "));
}

TEST_F(Wrap, PlansItsCasesForAChip) {
  for (const auto& [chip, to_measure] : {std::pair{"h200", 4}, std::pair{"a100", 2}}) {
    const program_result planned = wrapped({"plan", suite_.string(), "--chip", chip, "--json"});
    ASSERT_EQ(planned.exit_code, 0) << planned.error;
    const auto json = ordered_json::parse(planned.out);
    int found = 0;
    for (const auto& c : json.at("list"))
      found += c.at("name").get<std::string>().starts_with("wrapped_add/") && c.at("status") == "to_measure";
    EXPECT_EQ(found, to_measure) << chip;
  }
}

TEST_F(Wrap, RecordsWhereTheOperationComesFrom) {
  const program_result run = wrapped({"run", suite_.string(), "--device", "host", "--out", "out"});
  ASSERT_EQ(run.exit_code, 4) << "nothing can be measured without a host reference: " << run.error;
  const auto record = ordered_json::parse(test_support::slurp(files_.path() / "out" / "record.json"));
  const auto& from = record.at("context").at("ablate").at("operations").at("wrapped_add").at("from");
  EXPECT_EQ(from.at("file"), file_.string());
  EXPECT_EQ(from.at("hash").get<std::string>().size(), 16u);
  EXPECT_TRUE(record.at("benchmarks").empty());
  EXPECT_THAT(record.at("unmeasured").at(0).at("reason").get<std::string>(), HasSubstr("is the oracle"));
}

TEST_F(Wrap, RefusesInOneLine) {
  const auto refused = [](const program_result& result, const std::string& saying) {
    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_THAT(result.error, HasSubstr(saying));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  };
  refused(run_ablate({"wrap", file_.string()}), "wrap: expected a command after the files");
  refused(run_ablate({"wrap", (files_.path() / "none.json").string(), "list"}), "none.json");
  refused(run_ablate({"wrap", file_.string(), file_.string(), "list"}),
          "already has an operation 'wrapped_add'");
  refused(wrapped({"dev", "submit", suite_.string()}), "expected another command than submit");
  refused(run_ablate({"wrap"}), "wrap");
  files_.write("add.json", "{\"operation\": 1}");
  refused(wrapped({"list"}), "add.json: /operation");
}

}  // namespace
}  // namespace ablate::wrap_test
