#include "reports/verify/dates.h"

#include <gtest/gtest.h>

namespace ablate::verify::dates_test {
namespace {

TEST(DatesOfRecords, AreInUtc) {
  using namespace std::chrono;
  const auto noon = sys_days(2026y / November / 27) + 12h;
  EXPECT_EQ(parse_date("2026-11-27T12:00:00+00:00"), noon);
  EXPECT_EQ(parse_date("2026-11-27T14:30:00+02:30"), noon);
  EXPECT_EQ(parse_date("2026-11-27T04:00:00-08:00"), noon);
}

TEST(DatesOfRecords, OthersAreNone) {
  for (const char* none : {"", "2026-11-27", "2026-02-30T12:00:00+00:00", "2026-11-27T25:00:00+00:00",
                           "2026-11-27T12:00:00+00:00 or so", "2026-11-27T12:00:00Z0:00"})
    EXPECT_FALSE(parse_date(none)) << none;
}

}  // namespace
}  // namespace ablate::verify::dates_test
