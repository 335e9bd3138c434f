// The oracle against all sums made one by one; and each property of a right answer is missed where it is
// missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "oracles/coordinate_expand/checks.h"
#include "oracles/hash_table/key.h"

namespace ablate::coordinate_expand::expand_test {
namespace {

using ::testing::HasSubstr;
using row = std::array<std::int32_t, 4>;
using rows = std::vector<row>;

const std::array<int, 3> kernels[] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3},   {4, 4, 4},
                                      {5, 5, 5}, {3, 3, 5}, {13, 13, 1}, {1, 4, 7}};

rows random_rows(int count, int edge, std::int32_t lowest, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<std::int32_t>(random() % static_cast<unsigned>(end));
  };
  std::set<row> all;
  while (static_cast<int>(all.size()) < count)
    all.insert({below(2) * 511, lowest + below(edge), lowest + below(edge), lowest + below(edge)});
  return {all.begin(), all.end()};
}

/// Corners of the range, in two batches.
rows at_the_faces() {
  rows all;
  for (const std::int32_t batch : {0, 511})
    for (int corner = 0; corner < 8; ++corner)
      for (int depth = 0; depth < 3; ++depth) {
        const auto place = [&](int axis) {
          return (corner >> axis & 1) != 0 ? 131071 - depth : -131072 + depth;
        };
        all.push_back({batch, place(0), place(1), place(2)});
      }
  return all;
}

expanded_set expand(const rows& base, const std::array<int, 3>& kernel, bool guards) {
  return coordinate_expand::expand(base.empty() ? nullptr : base.front().data(),
                                   static_cast<std::int64_t>(base.size()), kernel, guards);
}

void expect_right(const rows& base, const std::array<int, 3>& kernel) {
  const auto lowest = [&](int axis) { return kernel[axis] % 2 == 1 ? -(kernel[axis] / 2) : 0; };
  std::set<std::uint64_t> in_range, all, out_of_range;
  for (const row& r : base)
    for (int x = 0; x < kernel[0]; ++x)
      for (int y = 0; y < kernel[1]; ++y)
        for (int z = 0; z < kernel[2]; ++z) {
          const row sum = {r[0], r[1] + lowest(0) + x, r[2] + lowest(1) + y, r[3] + lowest(2) + z};
          const std::uint64_t key = hash_table::packed_key(sum.data());
          all.insert(key);
          (hash_table::in_range(sum.data()) ? in_range : out_of_range).insert(key);
        }
  for (const row& r : base) out_of_range.erase(hash_table::packed_key(r.data()));
  const auto sum_of = [](const std::set<std::uint64_t>& keys) {
    std::uint64_t sum = 0;
    for (const std::uint64_t key : keys) sum += mixed(key);
    return sum;
  };
  const expanded_set guarded = expand(base, kernel, true), wrapping = expand(base, kernel, false);
  EXPECT_EQ(guarded.rows, static_cast<std::int64_t>(in_range.size()));
  EXPECT_EQ(guarded.sum_of_keys, sum_of(in_range));
  EXPECT_EQ(guarded.max_out_of_range, 0);
  EXPECT_EQ(wrapping.rows, static_cast<std::int64_t>(all.size()));
  EXPECT_EQ(wrapping.sum_of_keys, sum_of(all));
  EXPECT_EQ(wrapping.least_out_of_range, static_cast<std::int64_t>(all.size() - in_range.size()));
  EXPECT_EQ(wrapping.max_out_of_range, static_cast<std::int64_t>(out_of_range.size()));
}

TEST(ExpandedSet, IsRightForEveryKernelWhereverTheRowsLie) {
  for (const auto& kernel : kernels) {
    SCOPED_TRACE(::testing::PrintToString(kernel));
    for (const std::int32_t lowest : {-3, 100000, -131072, 131072 - 6}) {
      expect_right(random_rows(60, 6, lowest, 1), kernel);
      expect_right(random_rows(1, 6, lowest, 2), kernel);
    }
    expect_right(random_rows(100, 60, -30, 3), kernel);
    expect_right(at_the_faces(), kernel);
    expect_right({}, kernel);
  }
}

TEST(ExpandedSet, DoesNotDependOnTheOrderOfTheRows) {
  rows base = random_rows(80, 8, -4, 4);
  const expanded_set before = expand(base, {3, 3, 3}, true);
  std::shuffle(base.begin(), base.end(), std::mt19937(5));
  EXPECT_EQ(expand(base, {3, 3, 3}, true).sum_of_keys, before.sum_of_keys);
}

TEST(ExpandedSet, HasOffsetsInRowMajorOrder) {
  EXPECT_EQ(offset_of({3, 3, 3}, 0), (std::array{-1, -1, -1}));
  EXPECT_EQ(offset_of({3, 3, 3}, 13), (std::array{0, 0, 0}));
  EXPECT_EQ(offset_of({3, 3, 5}, 6), (std::array{-1, 0, -1}));
  EXPECT_EQ(offset_of({2, 4, 1}, 7), (std::array{1, 3, 0}));
}

TEST(ExpandedSet, FitsTheTableByThePublishedRule) {
  EXPECT_EQ(slots_at_half_load(0), 16);
  EXPECT_EQ(slots_at_half_load(8), 16);
  EXPECT_EQ(slots_at_half_load(9), 32);
  EXPECT_EQ(slots_at_half_load(28'000'000), 1 << 26);
}

class CheckOfExpansion : public ::testing::Test {
 protected:
  CheckOfExpansion() {
    p.rows = static_cast<std::int64_t>(base.size());
    p.base = base.front().data();
    p.guards = false;
    p.result = &result;
    p.figures = figures;
    set = coordinate_expand::expand(p.base, p.rows, p.kernel, p.guards);
    p.slots = slots_at_half_load(set.rows);
    p.capacity = set.rows;
    reference(p);
  }
  std::string violation() const { return violated(p, set).value_or(""); }

  // At the upper end of x alone: what comes round meets nothing but the one row at the lower end.
  rows base = {{0, 131071, 5, 6}, {0, 131071, 5, 7}, {3, 131070, 0, 0}, {0, -131072, 5, 6}, {3, 9, 9, 9}};
  outcome result{-99, -99};
  std::uint64_t figures[figure_count] = {99, 99, 99, 99, 99, 99};
  expanded_set set;
  checked_problem p;
};

TEST_F(CheckOfExpansion, AcceptsTheOracle) { EXPECT_EQ(violation(), ""); }

TEST_F(CheckOfExpansion, FindsAWrongOutput) {
  const auto message_with = [&](auto& place) {
    const auto before = place;
    ++place;
    std::string message = violation();
    place = before;
    return message;
  };
  EXPECT_THAT(message_with(result.rows), HasSubstr("rows: expected"));
  EXPECT_EQ(message_with(result.status), "status: expected 0, found 1");
  EXPECT_THAT(message_with(figures[rows_found]), HasSubstr("rows that the table has under their number"));
  EXPECT_THAT(message_with(figures[keys_of_rows]), HasSubstr("sum of the rows' mixed keys"));
  EXPECT_THAT(message_with(figures[occupied_slots]), HasSubstr("occupied slots"));
  EXPECT_THAT(message_with(figures[keys_of_slots]), HasSubstr("sum of the slots' mixed keys"));
  EXPECT_EQ(message_with(figures[rows_out_of_place]),
            "rows that have another number than they should: expected 0, found 1");
  EXPECT_EQ(violation(), "");
}

TEST_F(CheckOfExpansion, WantsRowsAsTheyWereSummedUp) {
  ASSERT_GT(set.least_out_of_range, 0);
  ASSERT_GT(set.max_out_of_range, set.least_out_of_range);
  figures[rows_out_of_range] = static_cast<std::uint64_t>(set.max_out_of_range);
  EXPECT_EQ(violation(), "");
  for (const std::int64_t wrong : {set.least_out_of_range - 1, set.max_out_of_range + 1}) {
    figures[rows_out_of_range] = static_cast<std::uint64_t>(wrong);
    EXPECT_THAT(violation(), HasSubstr("rows out of range, as they were summed up"));
  }
}

TEST_F(CheckOfExpansion, WantsTheStatusOfWhatHasNoRoomAndNothingElse) {
  const auto expect_only = [&](expand_status status) {
    EXPECT_EQ(expected_status(p, set.rows), status);
    EXPECT_THAT(violation(), HasSubstr("status: expected"));
    result = {12345, status};
    EXPECT_EQ(violation(), "");
    result = {static_cast<std::int32_t>(set.rows), expand_ok};
  };
  --p.capacity;
  expect_only(rows_full);
  p.slots /= 4;
  expect_only(table_full);
  p.capacity = set.rows;
  expect_only(table_full);
  p.grows = growth::bound;
  EXPECT_EQ(violation(), "");
}

}  // namespace
}  // namespace ablate::coordinate_expand::expand_test
