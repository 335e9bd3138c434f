// Each property of a right answer is missed where it is missing.
#include "oracles/hash_table/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/hash_table/host_table.h"

namespace ablate::hash_table::checks_test {
namespace {

using test_support::host_table;
using test_support::rows_by_turns;
using ::testing::HasSubstr;

class CheckOfInsertion : public ::testing::Test {
 protected:
  CheckOfInsertion() { t.insert(); }
  host_table t{rows_by_turns(100, 30), 64};
};

TEST_F(CheckOfInsertion, AcceptsTheOracle) { EXPECT_EQ(t.violation(), ""); }

TEST_F(CheckOfInsertion, AcceptsAnyRowOfAClassUnlessTheSmallestIsKept) {
  for (std::size_t i = 4; i < 100; i += 30) t.found[i] = 64;
  EXPECT_EQ(t.violation(), "");
  t.p.keeps_smallest = true;
  EXPECT_EQ(t.violation(),
            "row 4 (1, -1, -8, 0): expected 4, the smallest row of these coordinates, found 64");
}

TEST_F(CheckOfInsertion, FindsARowThatIsNotFound) {
  t.found[77] = -1;
  EXPECT_THAT(t.violation(), HasSubstr("row 77 (2, 12, -34, 2): expected 17, as for row 17"));
  for (std::size_t i = 17; i < 100; i += 30) t.found[i] = -1;
  EXPECT_THAT(t.violation(), HasSubstr("row 17 (2, 12, -34, 2): expected a row of the same coordinates"));
}

TEST_F(CheckOfInsertion, FindsARowThatIsFoundElsewhere) {
  for (const int wrong : {18, 100, -7, 2'000'000'000}) {
    for (std::size_t i = 17; i < 100; i += 30) t.found[i] = wrong;
    EXPECT_THAT(t.violation(), HasSubstr("row 17 (2, 12, -34, 2): expected a row of the same coordinates"));
  }
}

TEST_F(CheckOfInsertion, FindsTwoRowsForOneKey) {
  t.found[77] = 47;
  EXPECT_THAT(t.violation(), HasSubstr("row 77"));
}

TEST_F(CheckOfInsertion, FindsAWrongSummary) {
  t.summary[0] = 31;
  EXPECT_EQ(t.violation(), "occupied slots: expected 30, found 31");
  t.summary[0] = 30;
  t.summary[1] ^= 1;
  EXPECT_THAT(t.violation(), HasSubstr("sum of the slots' mixed keys"));
}

TEST_F(CheckOfInsertion, FindsAWrongStatus) {
  t.status = status_full;
  EXPECT_EQ(t.violation(), "status: expected ok, found full");
  t.status = 17;
  EXPECT_EQ(t.violation(), "status: expected ok, found 17");
}

TEST_F(CheckOfInsertion, OfAClearingAloneWantsNothingFound) {
  t.p.first = t.p.last = phase::clear;
  reference(t.p);
  EXPECT_EQ(t.violation(), "");
  t.found[3] = 3;
  EXPECT_THAT(t.violation(), HasSubstr("row 3 (0, -2, -6, 0): expected −1 in an empty table, found 3"));
  t.found[3] = -1;
  t.summary[0] = 1;
  EXPECT_EQ(t.violation(), "occupied slots: expected 0, found 1");
}

class CheckOfAFullTable : public ::testing::Test {
 protected:
  CheckOfAFullTable() { t.insert(); }
  host_table t{rows_by_turns(60, 20), 16};
};

TEST_F(CheckOfAFullTable, AcceptsTheOracle) { EXPECT_EQ(t.violation(), ""); }

TEST_F(CheckOfAFullTable, AcceptsOtherKeysThatFoundRoom) {
  const auto mixed_of = [&](int row) { return mixed(packed_key(t.coordinates.data() + 4 * row)); };
  for (std::size_t i = 3; i < 60; i += 20) t.found[i] = -1;
  for (std::size_t i = 18; i < 60; i += 20) t.found[i] = 38;
  t.summary[1] += mixed_of(18) - mixed_of(3);
  EXPECT_EQ(t.violation(), "");
}

TEST_F(CheckOfAFullTable, FindsASlotThatStayedEmpty) {
  for (std::size_t i = 3; i < 60; i += 20) t.found[i] = -1;
  EXPECT_EQ(t.violation(), "keys found: expected 16, found 15");
}

TEST_F(CheckOfAFullTable, FindsAKeyThatOnlySomeOfItsRowsFind) {
  t.found[43] = -1;
  EXPECT_THAT(t.violation(), HasSubstr("row 43"));
}

TEST_F(CheckOfAFullTable, FindsAStatusThatSaysNothing) {
  t.status = status_ok;
  EXPECT_EQ(t.violation(), "status: expected full, found ok");
}

class CheckOfSearch : public ::testing::Test {
 protected:
  CheckOfSearch() {
    t.search(rows_by_turns(60, 60));
    wanted_rows = t.found;
  }
  std::string violation() const { return violated_by_search(t.p, t.classes(), wanted_rows).value_or(""); }
  host_table t{rows_by_turns(100, 30), 64};
  std::vector<std::int32_t> wanted_rows;
};

TEST_F(CheckOfSearch, AcceptsTheOracleAndAnyRowOfAClass) {
  EXPECT_EQ(violation(), "");
  t.found[4] = 64;
  EXPECT_EQ(violation(), "");
}

TEST_F(CheckOfSearch, FindsAHitThatIsMissed) {
  t.found[4] = -1;
  EXPECT_EQ(violation(), "query 4 (1, -1, -8, 0): expected 4, found -1");
}

TEST_F(CheckOfSearch, FindsAMissThatHits) {
  t.found[40] = 4;
  EXPECT_EQ(violation(), "query 40 (1, 35, -80, 5): expected -1, found 4");
}

TEST_F(CheckOfSearch, FindsAnotherRow) {
  for (const int wrong : {5, 100, -2}) {
    t.found[4] = wrong;
    EXPECT_THAT(violation(), HasSubstr("query 4"));
  }
}

TEST_F(CheckOfSearch, FindsATableThatWasNotBuilt) {
  t.status = status_full;
  EXPECT_EQ(violation(), "status: expected ok, found full");
}

}  // namespace
}  // namespace ablate::hash_table::checks_test
