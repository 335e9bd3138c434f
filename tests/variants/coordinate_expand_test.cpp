// The operation coordinate_expand on the host: axes, sizes by the growth rules, check and figures, whatever
// the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/text/bad_input.h"
#include "harness/registry/registry.h"
#include "kernels/coordinate_expand/coordinate_expand.h"
#include "kernels/hash_table/hash_table.h"
#include "tests/support/axis_values.h"
#include "tests/support/filled_inputs.h"
#include "tests/support/solved_workload.h"

namespace ablate::coordinate_expand_test {
namespace {

using test_support::expect_inputs_filled;
using test_support::refusal_of;
using test_support::solved_workload;
using test_support::values_of;
using test_support::with;
using ::testing::HasSubstr;

const operation& expansion() { return *find_operation("coordinate_expand"); }
const input_library& library() {
  static const input_library inputs(1, {}, {});
  return inputs;
}

/// Of few rows.
axis_values at(const axis_values& given) { return values_of(expansion(), with({{"rows", "2000"}}, given)); }

struct solved_case : solved_workload {
  explicit solved_case(const axis_values& given) : solved_workload(expansion(), at(given), library()) {}
  coordinate_expand::outcome& found() { return output<coordinate_expand::outcome>("result")[0]; }
  std::size_t bytes_of(const char* name) const {
    return std::ranges::find(buffers, name, &buffer::name)->bytes;
  }
};

TEST(CoordinateExpandOperation, IsRightForEverySceneOrderAndRange) {
  for (const std::string& scene : expansion().axes.front().words)
    for (const char* order : {"scan", "shuffled", "morton"})
      for (const char* range : {"guard", "wrap"}) {
        const solved_case c({{"scene", scene}, {"rows", "500"}, {"order", order}, {"range", range}});
        EXPECT_TRUE(c.check().ok) << scene << ": " << c.check().message;
        EXPECT_FALSE(c.check_poison().ok);
        EXPECT_EQ(c.fact("rows"), 500);
        EXPECT_GE(c.fact("rows_of_set"), 500);
      }
}

TEST(CoordinateExpandOperation, GivesTheSameSetForEveryChunkGrowthAndOrder) {
  for (const char* kernel : {"1", "2", "3", "5", "3x3x5", "13x13x1"}) {
    const std::int64_t expected = solved_case({{"kernel", kernel}}).fact("rows_of_set");
    for (const char* chunk : {"one", "row", "all"})
      for (const char* grows : {"none", "bound", "retry"})
        for (const char* order : {"shuffled", "morton"}) {
          const solved_case c({{"kernel", kernel}, {"chunk", chunk}, {"growth", grows}, {"order", order}});
          EXPECT_TRUE(c.check().ok) << c.check().message;
          EXPECT_EQ(c.fact("rows_of_set"), expected);
        }
  }
}

TEST(CoordinateExpandOperation, TakesNoRowsAndOne) {
  for (const char* grows : {"none", "bound", "retry"}) {
    const solved_case none({{"rows", "0"}, {"growth", grows}}), one({{"rows", "1"}, {"growth", grows}});
    EXPECT_TRUE(none.check().ok) << none.check().message;
    EXPECT_EQ(none.fact("rows_of_set"), 0);
    EXPECT_TRUE(one.check().ok) << one.check().message;
    EXPECT_EQ(one.fact("rows_of_set"), 27);
  }
}

TEST(CoordinateExpandOperation, HasRoomForTheResultOrAsMuchOfItAsTheAxesSay) {
  const solved_case c({{"scene", "solid"}, {"rows", "1000"}});
  EXPECT_EQ(c.fact("rows_of_set"), 12 * 12 * 12);
  EXPECT_EQ(c.fact("most_slots"), 4096);
  EXPECT_EQ(c.bytes_of("store"), 16u * 1728);
  const solved_case short_of_rows({{"scene", "solid"}, {"rows", "1000"}, {"store_room", "50"}});
  EXPECT_EQ(short_of_rows.bytes_of("store"), 16u * 864);
  const solved_case short_of_slots({{"scene", "solid"}, {"rows", "1000"}, {"load", "200"}});
  EXPECT_EQ(short_of_slots.fact("most_slots"), 1024);
}

// The published rule: initially 4 slots per base row, then twice the bound on rows plus the step's sums.
TEST(CoordinateExpandOperation, HasRoomForTheWorstCaseOfTheLastStep) {
  const axis_values solid = {{"scene", "solid"}, {"rows", "1000"}, {"growth", "bound"}};
  const solved_case by_x(solid);
  EXPECT_EQ(by_x.fact("slots"), 4096);
  EXPECT_EQ(by_x.fact("store_rows"), 1728 + 9000);
  EXPECT_EQ(by_x.fact("most_slots"), 32768);
  axis_values at_once = solid;
  at_once.set("chunk", "all");
  EXPECT_EQ(solved_case(at_once).fact("most_slots"), 65536);
  at_once.set("growth", "retry");
  EXPECT_EQ(solved_case(at_once).fact("most_slots"), 4096);
}

TEST(CoordinateExpandOperation, EndsWithTheStatusOfWhatHasNoRoom) {
  using namespace coordinate_expand;
  const auto status = [](const axis_values& given) {
    solved_case c(given);
    EXPECT_TRUE(c.check().ok) << c.check().message;
    EXPECT_FALSE(c.check_poison().ok);
    const std::int32_t found = c.found().status;
    c.found().status = 3 - found;
    EXPECT_FALSE(c.check().ok);
    return found;
  };
  EXPECT_EQ(status({}), expand_ok);
  EXPECT_EQ(status({{"store_room", "99"}}), rows_full);
  EXPECT_EQ(status({{"store_room", "0"}}), rows_full);
  EXPECT_EQ(status({{"load", "400"}}), table_full);
  EXPECT_EQ(status({{"load", "400"}, {"store_room", "50"}}), table_full);
}

TEST(CoordinateExpandOperation, HasMemoryForASortOnlyWhereThatIsOneOfTheVariants) {
  const std::size_t alone = solved_case({}).bytes_of("scratch");
  EXPECT_LT(alone, 4096u);
  EXPECT_GT(solved_case({{"chunk", "all"}}).bytes_of("scratch"), 2u * 8 * 2000 * 27);
  EXPECT_LT(solved_case({{"chunk", "all"}, {"growth", "retry"}}).bytes_of("scratch"), 4096u);
  EXPECT_LT(solved_case({{"chunk", "all"}, {"range", "wrap"}}).bytes_of("scratch"), 4096u);
}

TEST(CoordinateExpandOperation, IsTimedByTheHostWhereTheHostReads) {
  for (const char* grows : {"none", "bound", "retry"})
    EXPECT_EQ(expansion().clock(at({{"growth", grows}}), library()),
              grows[0] == 'n' ? region_clock::device : region_clock::host);
  EXPECT_TRUE(expansion().has_ahead(at({{"region", "expand"}}), library()));
  EXPECT_FALSE(expansion().has_ahead(at({}), library()));
  EXPECT_FALSE(expansion().keeps_ahead());
}

TEST(CoordinateExpandOperation, DeclaresCompulsoryWork) {
  const auto work = [](axis_values given) {
    given.set("scene", "solid");
    given.set("rows", "1000");
    return solved_case(given).work.work;
  };
  EXPECT_EQ(work({}).bytes, 16.0 * (1000 + 1728) + 8 * 4096);
  EXPECT_EQ(work({{"growth", "bound"}}).bytes, 16.0 * (1000 + 1728) + 8 * 1728);
  EXPECT_EQ(work({{"region", "expand"}}).bytes, 16.0 * (1000 + 728) + 8 * 728);
  ASSERT_EQ(work({}).random.size(), 2u);
  EXPECT_EQ(work({}).random[0].resource, "random_cas");
  EXPECT_EQ(work({}).random[0].count, 1728);
  EXPECT_EQ(work({{"region", "expand"}}).random[0].count, 728);
  EXPECT_EQ(work({}).random[1].resource, "random_read_sectors");
  EXPECT_EQ(work({}).random[1].count, 27 * 1000) << "each candidate is looked up";
  EXPECT_EQ(work({}).random[1].footprint_bytes, 8 * 4096)
      << "fewer bytes than a sector for each of 1728 keys";
}

TEST(CoordinateExpandOperation, NamesWhatTheInstrumentedFormCounted) {
  const workload w = solved_case({}).work;
  std::vector<std::uint64_t> counts(hash_table::event_words);
  EXPECT_TRUE(w.read_instruments(counts).is_null());
  counts[hash_table::operations] = 50000;
  counts[hash_table::hits] = 40000;
  counts[hash_table::probes_of_hits] = 60000;
  counts[hash_table::probes_of_misses] = 15000;
  counts[hash_table::longest] = 17;
  counts[hash_table::atomics] = 27000;
  const auto named = w.read_instruments(counts);
  EXPECT_EQ(named.at("candidates"), 54000);
  EXPECT_EQ(named.at("insertions"), 50000);
  EXPECT_EQ(named.at("new_rows"), 10000);
  EXPECT_EQ(named.at("present_share"), 0.8);
  EXPECT_EQ(named.at("probes_per_insertion"), 1.5);
  EXPECT_EQ(named.at("longest"), 17);
  EXPECT_EQ(named.at("atomics_per_candidate"), 0.5);
}

TEST(CoordinateExpandOperation, RefusesWhatMakesNoCase) {
  const auto reason = [](const axis_values& given) { return refusal_of(expansion(), at(given)); };
  EXPECT_EQ(reason({}), "");
  EXPECT_EQ(reason({{"rows", "1000000"}, {"kernel", "5"}}), "");
  EXPECT_THAT(reason({{"rows", "10000000"}}), HasSubstr("at most 268435456"));
  EXPECT_THAT(reason({{"rows", "100000"}, {"load", "200"}}), HasSubstr("too small: at most 131072"));
  EXPECT_THAT(reason({{"growth", "bound"}, {"load", "60"}}), HasSubstr("load=50 and store_room=100 only"));
  EXPECT_THAT(reason({{"growth", "retry"}, {"store_room", "90"}}), HasSubstr("makes its own room"));
  EXPECT_THAT(reason({{"scene", "adversarial"}, {"rows", "20000"}}), HasSubstr("at most 16384"));
}

TEST(CoordinateExpandOperation, FillsEveryInputToItsSize) {
  const solved_case c({{"rows", "333"}});
  expect_inputs_filled(c.work, c.buffers);
}

}  // namespace
}  // namespace ablate::coordinate_expand_test
