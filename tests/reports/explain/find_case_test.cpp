#include "reports/explain/find_case.h"

#include <gmock/gmock.h>

#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::explain::find_case_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

record made() { return read_record(reports::made_record_path()); }

TEST(FindCase, TakesAWholeNameOrWordsThatOneCaseHas) {
  const record r = made();
  const std::string name = "scatter/direct/items=1024/layout=rows/@hot";
  EXPECT_THAT(cases_with(r, {name}), ElementsAre(name));
  EXPECT_THAT(cases_with(r, {"@hot"}), ElementsAre(name));
  EXPECT_THAT(cases_with(r, {"direct", "1024", "hot"}), ElementsAre(name));
  EXPECT_THAT(cases_with(r, {"variant=direct", "items=1024", "cache=hot"}), ElementsAre(name));
  EXPECT_THAT(cases_with(r, {"items=4096", "merged"}),
              ElementsAre("scatter/merged/items=4096/layout=rows/@cold-clean"))
      << "cases that were not measured are found too";
  EXPECT_EQ(cases_with(r, {"direct"}).size(), 4u);
}

TEST(FindCase, AWholeNameIsNotAmbiguousWhereOthersHoldIt) {
  record r = made();
  r.cases[2].name = "scatter/a";
  r.cases[3].name = "scatter/a_longer";
  EXPECT_THAT(cases_with(r, {"scatter/a"}), ElementsAre("scatter/a"));
}

TEST(FindCase, AValueIsEqualAndNeverContained) {
  const record r = made();
  for (const char* part : {"items=1", "items=102", "102", "items=10240", "direc", "items=1024.", "items=.*"})
    EXPECT_THAT(test_support::refusal_from([&] {
                  cases_with(r, {part, "hot"});
                }),
                HasSubstr("small_record.json: no "))
        << part;
}

TEST(FindCase, RefusesWhatNoCaseIs) {
  const auto refusal = [](const std::vector<std::string>& words) {
    return test_support::refusal_from([&] { cases_with(made(), words); });
  };
  EXPECT_THAT(refusal({"scatter/direct/items=1024/layout=row/@hot"}),
              AllOf(HasSubstr("no value of axis 'layout' 'row' (did you mean 'rows'?)"),
                    HasSubstr("small_record.json")));
  EXPECT_THAT(refusal({"layout=columns", "cache=hot"}),
              HasSubstr("no case has layout=columns and cache=hot; with the others, layout is rows"));
}

TEST(FindCase, ListsTwentyOfManyThatFit) {
  EXPECT_EQ(ambiguity_text({"a", "b"}),
            "2 cases fit; expected an id, or words, that one case has alone:\n  a\n  b\n");
  const std::string many = ambiguity_text(std::vector<std::string>(33, "a"));
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 22);
  EXPECT_THAT(many, HasSubstr("  and 13 more\n"));
}

}  // namespace
}  // namespace ablate::explain::find_case_test
