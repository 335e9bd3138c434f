#include "reports/sections/advice.h"

#include <gmock/gmock.h>

#include "reports/ablation/limits.h"
#include "tests/reports/counted_record.h"

namespace ablate::reports::advice_test {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* busiest = "scatter/direct/items=1048576/layout=columns/@cold-clean";

/// The counted record with a ceiling of atomics; its baseline reaches this share of it on the largest
/// workload.
std::vector<std::string> advice_with(double share) {
  const auto path = counted_record(fresh_folder());
  ordered_json made = ordered_json::parse(text_of(path));
  for (const ordered_json& c : made["benchmarks"])
    if (c["name"] == busiest)
      made["context"]["ablate"]["ceilings"]["atomics_distinct"] = {
          {"rate_per_s", c["instrumented"]["atomics"].get<double>() /
                             (c["time_us"]["median"].get<double>() * 1e-6) / share},
          {"case", "ceilings/made"}};
  std::ofstream(path, std::ios::binary) << made.dump();
  const record r = read_record(path);
  const operation_view view = operation_views(r).front();
  const process_launches launches(r, {}, limits_of(shipped_policy()));
  return advice_on(r, view, operation_ablation(r, view, launches));
}

TEST(Advice, NamesTheCeilingThatBindsAndTheSwitchThatMovesIt) {
  const std::vector<std::string> said = advice_with(0.96);
  ASSERT_FALSE(said.empty());
  EXPECT_THAT(said.front(),
              AllOf(HasSubstr("`direct` on "), HasSubstr("is bound by L2 atomics: 96 % of the ceiling ("),
                    HasSubstr("atomics/s)"), HasSubstr("the switch that gains most is "), HasSubstr("× (")));
}

TEST(Advice, SaysThatNothingBindsWhereNothingDoes) {
  EXPECT_THAT(advice_with(0.01).front(), HasSubstr("is at no measured limit; closest: "));
}

// More than a ceiling is no evidence for it: it measures something else than the case does.
TEST(Advice, AShareBeyondTheCeilingBindsNothing) {
  for (const std::string& sentence : advice_with(2))
    EXPECT_THAT(sentence, testing::Not(HasSubstr("bound by L2 atomics")));
}

TEST(Advice, ThereIsNoneOfASingleVariant) {
  ordered_json made = made_record();
  auto& cases = made["benchmarks"];
  for (std::size_t i = cases.size(); i-- > 0;)
    if (cases[i]["variant"] == "merged") cases.erase(i);
  const auto path = fresh_folder() / "record.json";
  std::ofstream(path, std::ios::binary) << made.dump();
  const record alone = read_record(path);
  const operation_view view = operation_views(alone).front();
  const process_launches launches(alone, {}, limits_of(shipped_policy()));
  EXPECT_TRUE(advice_on(alone, view, operation_ablation(alone, view, launches)).empty());
}

}  // namespace
}  // namespace ablate::reports::advice_test
