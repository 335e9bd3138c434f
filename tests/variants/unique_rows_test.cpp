// The operation unique_rows on the host: axes, regions, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"
#include "harness/registry/registry.h"
#include "kernels/hash_table/hash_table.h"
#include "tests/support/axis_values.h"
#include "tests/support/filled_inputs.h"
#include "tests/support/solved_workload.h"

namespace ablate::unique_rows_test {
namespace {

using test_support::expect_inputs_filled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& unique() { return *find_operation("unique_rows"); }

/// Of a small table.
axis_values at(const axis_values& given) { return values_of(unique(), with({{"slots", "4096"}}, given)); }

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& given) : solved_workload(unique(), at(given)) {}
  std::int32_t& output(const std::string& name, std::size_t i = 0) {
    return solved_workload::output<std::int32_t>(name)[i];
  }
};

TEST(UniqueRowsOperation, IsRightForEveryKeyOrderWinnerAndRegion) {
  for (const char* keys : {"random", "room", "lidar_10cm", "solid", "faces", "adversarial"})
    for (const char* order : {"scan", "shuffled", "morton"})
      for (const char* winner : {"any", "smallest"})
        for (const char* region : {"all", "unique"})
          for (const char* multiplicity : {"1", "8"}) {
            const solved_case c({{"keys", keys},
                                 {"order", order},
                                 {"winner", winner},
                                 {"region", region},
                                 {"rows", "1000"},
                                 {"multiplicity", multiplicity}});
            EXPECT_TRUE(c.check().ok) << keys << ", " << order << ": " << c.check().message;
            EXPECT_FALSE(c.check_poison().ok);
            EXPECT_EQ(c.fact("distinct"), multiplicity[0] == '1' ? 1000 : 125);
          }
}

TEST(UniqueRowsOperation, TakesNoRowsOneRowFullTablesAndManyCopies) {
  for (const axis_values& given : {axis_values{{"load", "0"}}, axis_values{{"rows", "1"}},
                                   axis_values{{"load", "100"}, {"multiplicity", "1"}},
                                   axis_values{{"load", "3200"}, {"multiplicity", "32"}},
                                   axis_values{{"rows", "100000"}, {"multiplicity", "100000"}}}) {
    ASSERT_EQ(unique().refuses(at(given)), std::nullopt);
    const solved_case c(given);
    EXPECT_TRUE(c.check().ok) << c.check().message;
  }
}

TEST(UniqueRowsOperation, FindsOutAWrongOutput) {
  solved_case any({{"multiplicity", "2"}}), smallest({{"multiplicity", "2"}, {"winner", "smallest"}});
  for (solved_case* c : {&any, &smallest}) {
    c->output("list", 5) = 11;  // the other row with these coordinates
    EXPECT_EQ(c->check().ok, c == &any);
    c->output("list", 5) = 12;
    EXPECT_FALSE(c->check().ok);
    c->output("list", 5) = 10;
    --c->output("count");
    EXPECT_THAT(c->check().message, HasSubstr("count: expected 1024"));
    ++c->output("count");
    c->output("status") = hash_table::status_full;
    EXPECT_THAT(c->check().message, HasSubstr("status: expected ok"));
    c->output("status") = hash_table::status_ok;
    EXPECT_TRUE(c->check().ok) << c->check().message;
  }
}

TEST(UniqueRowsOperation, BuildsTheTableAheadOfTheListAloneAndKeepsIt) {
  const input_library inputs(1, {}, {});
  EXPECT_TRUE(unique().has_ahead(at({{"region", "unique"}}), inputs));
  EXPECT_FALSE(unique().has_ahead(at({{"region", "all"}}), inputs));
  EXPECT_TRUE(unique().keeps_ahead());
}

TEST(UniqueRowsOperation, DeclaresCompulsoryWork) {
  EXPECT_EQ(solved_case({{"rows", "1000"}}).work.work.bytes, 16.0 * 1000 + 4 * 125);
  EXPECT_EQ(solved_case({{"rows", "1000"}, {"region", "unique"}}).work.work.bytes, 8.0 * 125);
}

TEST(UniqueRowsOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(unique(), at(given)); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"load", "200"}, {"multiplicity", "1"}}), HasSubstr("expected a slot for each"));
  EXPECT_THAT(reason({{"slots", "5000"}}), HasSubstr("power of two"));
  EXPECT_THAT(reason({{"slots", "4194304"}, {"load", "100"}, {"multiplicity", "1"}}),
              HasSubstr("fill all slots"));
}

TEST(UniqueRowsOperation, FillsEveryInputToItsSize) {
  const solved_case c({{"rows", "333"}});
  expect_inputs_filled(c.work, c.buffers);
}

}  // namespace
}  // namespace ablate::unique_rows_test
