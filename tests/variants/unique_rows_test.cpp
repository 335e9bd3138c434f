// The operation unique_rows on the host: axes, regions, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "kernels/common/poison.h"
#include "kernels/hash_table/hash_table.h"
#include "reports/text/bad_input.h"

namespace ablate::unique_rows_test {
namespace {

using ::testing::HasSubstr;

const operation& unique() { return *find_operation("unique_rows"); }

/// Of a small table.
axis_values at(const axis_values& given) {
  axis_values all;
  for (const axis& a : unique().axes) all.set(a.name, a.default_value);
  all.set("slots", "4096");
  for (const auto& [name, value] : given) all.set(name, value);
  return all;
}

/// A case whose outputs the reference has filled.
struct solved_case {
  explicit solved_case(const axis_values& given)
      : buffers(unique().buffers(at(given), input_library(1, {}, {}))),
        outputs(buffers),
        work(unique().prepare(at(given), input_library(1, {}, {}))) {
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const bool written = buffers[i].role == buffer_role::output;
      if (written && buffers[i].bytes > 0) std::memset(outputs.at(i), poison_byte, buffers[i].bytes);
      addresses.push_back(written ? outputs.at(i) : nullptr);
    }
    poisoned = work.check(outputs.pointers());
    work.reference(addresses);
  }
  check_result check() const { return work.check(outputs.pointers()); }
  std::int32_t& output(std::size_t buffer, std::size_t i = 0) {
    return static_cast<std::int32_t*>(outputs.at(buffer))[i];
  }
  std::int64_t fact(const char* name) const { return work.input.at(name); }

  std::vector<buffer> buffers;
  host_outputs outputs;
  workload work;
  check_result poisoned;
};

enum place { coordinates, list, count, status };

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
            EXPECT_FALSE(c.poisoned.ok);
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
    c->output(list, 5) = 11;  // the other row with these coordinates
    EXPECT_EQ(c->check().ok, c == &any);
    c->output(list, 5) = 12;
    EXPECT_FALSE(c->check().ok);
    c->output(list, 5) = 10;
    --c->output(count);
    EXPECT_THAT(c->check().message, HasSubstr("count: expected 1024"));
    ++c->output(count);
    c->output(status) = hash_table::status_full;
    EXPECT_THAT(c->check().message, HasSubstr("status: expected ok"));
    c->output(status) = hash_table::status_ok;
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
  const auto reason = [](const axis_values& given) { return unique().refuses(at(given)).value_or(""); };
  EXPECT_EQ(reason({}), "");
  EXPECT_THAT(reason({{"load", "200"}, {"multiplicity", "1"}}), HasSubstr("expected a slot for each"));
  EXPECT_THAT(reason({{"slots", "5000"}}), HasSubstr("power of two"));
  EXPECT_THAT(reason({{"slots", "4194304"}, {"load", "100"}, {"multiplicity", "1"}}),
              HasSubstr("fill all slots"));
}

TEST(UniqueRowsOperation, FillsEveryInputToItsSize) {
  const solved_case c({{"rows", "333"}});
  ASSERT_EQ(c.work.contents.size(), c.buffers.size());
  for (std::size_t i = 0; i < c.buffers.size(); ++i)
    EXPECT_EQ(c.work.contents[i].size(), c.buffers[i].role == buffer_role::input ? c.buffers[i].bytes : 0);
}

}  // namespace
}  // namespace ablate::unique_rows_test
