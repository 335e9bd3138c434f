#include "reports/explain/find_case.h"

#include <gmock/gmock.h>

#include "reports/text/bad_input.h"
#include "tests/reports/made_record.h"

namespace ablate::explain::find_case_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

record made() { return read_record(reports::made_record_path()); }

TEST(FindCase, TakesAWholeNameOrPartsThatOneCaseHas) {
  const record r = made();
  const std::string name = "scatter/direct/items=1024/layout=rows/@hot";
  EXPECT_THAT(cases_with(r, {name}), ElementsAre(name));
  EXPECT_THAT(cases_with(r, {"@hot"}), ElementsAre(name));
  EXPECT_THAT(cases_with(r, {"direct", "1024", "hot"}), ElementsAre(name));
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

TEST(FindCase, RefusesWhatNoCaseHolds) {
  const record r = made();
  EXPECT_NO_THROW(refuse_none(r, {"hot"}, {"one"}));
  try {
    refuse_none(r, {"scatter/direct/items=1024/layout=row/@hot"}, {});
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'scatter/direct/items=1024/layout=rows/@hot'?"));
    EXPECT_THAT(e.what(), HasSubstr("of its 11 cases"));
    EXPECT_THAT(e.what(), HasSubstr("small_record.json"));
  }
}

TEST(FindCase, ListsTwentyOfManyThatFit) {
  EXPECT_EQ(ambiguity_text({"a", "b"}),
            "2 cases fit; expected a name, or parts, that one case has alone:\n  a\n  b\n");
  const std::string many = ambiguity_text(std::vector<std::string>(33, "a"));
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 22);
  EXPECT_THAT(many, HasSubstr("  and 13 more\n"));
}

}  // namespace
}  // namespace ablate::explain::find_case_test
