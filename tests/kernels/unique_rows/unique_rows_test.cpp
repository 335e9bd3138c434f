// The oracle lists the smallest row of each coordinate; each property of a right answer is missed where it is
// missing.
#include "kernels/unique_rows/unique_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracles/unique_rows/checks.h"
#include "oracles/unique_rows/reference.h"
#include "tests/kernels/hash_table/host_table.h"

namespace ablate::unique_rows::unique_rows_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A problem on the host, solved.
struct solved {
  explicit solved(std::vector<std::int32_t> rows) : coordinates(std::move(rows)) {
    p.rows = static_cast<std::int64_t>(coordinates.size() / 4);
    p.coordinates = coordinates.data();
    list.assign(coordinates.size() / 4, -99);
    p.list = list.data();
    p.count = &count;
    p.status = &status;
    reference(p);
  }
  solved(const solved&) = delete;
  std::string violation() const {
    return violated(
               p, hash_table::classes_of(hash_table::index_of(p.coordinates, p.rows), p.coordinates, p.rows))
        .value_or("");
  }

  std::vector<std::int32_t> coordinates, list;
  std::int32_t count = -99, status = -99;
  problem p;
};

std::vector<std::int32_t> five_rows_of_three() {
  return {1, 5, 5, 5, 0, 5, 5, 5, 1, 5, 5, 5, 0, 5, 5, -5, 0, 5, 5, 5};
}

TEST(UniqueRows, AreTheFirstOfEachCoordinate) {
  const solved s(five_rows_of_three());
  EXPECT_THAT(s.list, ElementsAre(0, 1, 3, -99, -99));
  EXPECT_EQ(s.count, 3);
  EXPECT_EQ(s.status, hash_table::status_ok);
  EXPECT_EQ(s.violation(), "");
}

TEST(UniqueRows, OfNoRowsAreNone) {
  const solved s({});
  EXPECT_EQ(s.count, 0);
  EXPECT_EQ(s.violation(), "");
}

TEST(UniqueRows, OfDistinctRowsAreAllAndOfEqualOnesIsOne) {
  const solved all(hash_table::test_support::rows_by_turns(500, 500)),
      one(hash_table::test_support::rows_by_turns(500, 1));
  EXPECT_EQ(all.count, 500);
  EXPECT_EQ(all.list.back(), 499);
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.list.front(), 0);
}

TEST(UniqueRows, MayBeAnyOfEqualOnesUnlessTheSmallestAreAsked) {
  solved s(five_rows_of_three());
  s.list = {2, 3, 4, -99, -99};
  EXPECT_EQ(s.violation(), "");
  s.p.keeps_smallest = true;
  EXPECT_EQ(s.violation(), "list[0]: expected 0, the smallest row of these coordinates, found 2");
}

TEST(CheckOfUniqueRows, FindsAWrongStatusAndCount) {
  solved s(five_rows_of_three());
  s.status = hash_table::status_full;
  EXPECT_EQ(s.violation(), "status: expected ok, found 1");
  s.status = hash_table::status_ok;
  for (const int wrong : {2, 4, 0, -1}) {
    s.count = wrong;
    EXPECT_THAT(s.violation(), HasSubstr("count: expected 3 distinct coordinates"));
  }
}

TEST(CheckOfUniqueRows, FindsTwoRowsOfOneCoordinate) {
  solved s(five_rows_of_three());
  s.list = {0, 1, 2, -99, -99};
  EXPECT_EQ(s.violation(), "list[2]: expected no second row of the coordinates of row 0, found 2");
}

TEST(CheckOfUniqueRows, FindsRowsThatAreNotThereAndNotAscending) {
  solved s(five_rows_of_three());
  for (const int wrong : {-1, 5, 1000000000}) {
    s.list = {0, 1, wrong, -99, -99};
    EXPECT_THAT(s.violation(), HasSubstr("list[2]: expected a row from 2 to 4"));
  }
  s.list = {0, 3, 1, -99, -99};
  EXPECT_EQ(s.violation(), "list[2]: expected a row from 4 to 4, found 1");
  s.list = {0, 0, 3, -99, -99};
  EXPECT_EQ(s.violation(), "list[1]: expected a row from 1 to 4, found 0");
}

}  // namespace
}  // namespace ablate::unique_rows::unique_rows_test
