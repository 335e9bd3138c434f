#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::predict_command_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string on_h100 = test_support::source_path("results/h100/gated_attention_training_free_1024");
const std::string on_h200 = test_support::source_path("results/h200/gated_attention_training_free_1024");

nlohmann::ordered_json json_of(std::vector<std::string> words) {
  words.push_back("--json");
  const program_result result = run_ablate(std::move(words));
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return nlohmann::ordered_json::parse(result.out);
}

TEST(PredictCommand, MarksWhatItPredictsAndSaysFromWhere) {
  const program_result result =
      run_ablate({"predict", "merged_attention", "--on", "h100", "--from", on_h200});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("~ "), HasSubstr("transferred from h200 (h200/gated_attention_training_free_1024)"),
            HasSubstr("was predicted, not measured"), HasSubstr("medians over its records")));
}

TEST(PredictCommand, IsNearWhatTheChipMeasured) {
  const auto measured = json_of({"predict", "merged_attention", "--on", "h100", "--from", on_h100});
  const auto predicted = json_of({"predict", "merged_attention", "--on", "h100", "--from", on_h200});
  std::size_t found = 0;
  for (const auto& a : measured["variants"])
    for (const auto& b : predicted["variants"])
      if (a["variant"] == b["variant"] && b["us"].is_number() && measured["axes"] == predicted["axes"]) {
        ++found;
        EXPECT_FALSE(a["is_predicted"].get<bool>());
        EXPECT_TRUE(b["is_predicted"].get<bool>());
        EXPECT_NEAR(b["us"].get<double>() / a["us"].get<double>(), 1, 0.2) << a["variant"];
        EXPECT_LT(b["low_us"], b["us"]);
      }
  EXPECT_GT(found, 0u);
}

TEST(PredictCommand, RefusesHopperKernelsOnAnA100) {
  const auto found = json_of({"predict", "dense_attention", "--on", "a100", "--from", on_h200});
  bool any_refused = false;
  for (const auto& v : found["variants"]) {
    if (v["us"].is_number())
      EXPECT_FALSE(v["interval_is_tested"].get<bool>()) << v["variant"];
    else
      any_refused |= v["refused"].get<std::string>().find("no machine code") != std::string::npos;
  }
  EXPECT_TRUE(any_refused) << found.dump(1);
  EXPECT_EQ(found["ceilings"], "data sheet");
}

TEST(PredictCommand, BestAnswersForAChipThatRanNothing) {
  const program_result result = run_ablate({"best", on_h200, "operation=merged_attention", "--on", "h100"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, AllOf(HasSubstr("~ "), HasSubstr("transferred from h200")));
  const program_result there = run_ablate({"best", on_h200, "operation=merged_attention", "--on", "h200"});
  EXPECT_THAT(there.out,
              AllOf(Not(HasSubstr("~ ")), HasSubstr("measured (h200/gated_attention_training_free_1024)")));
}

TEST(PredictCommand, CeilingsOfAnotherChipAreRefused) {
  const program_result result =
      run_ablate({"predict", "merged_attention", "--on", "h100", "--from", on_h200, "--ceilings", on_h200});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error, HasSubstr("expected ceilings of h100, found h200"));
}

}  // namespace
}  // namespace ablate::predict_command_test
