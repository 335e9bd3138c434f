#include "reports/floors.h"

#include <gtest/gtest.h>

namespace ablate {
namespace {

// 1 byte a nanosecond, 1 atomic in 10 ns, 1000 FLOPs a nanosecond.
const measured_ceilings made_ceilings = {
    {"launch", {2.0, 0, "l"}},     {"launch_hot", {0.5, 0, "h"}},        {"dram_bytes", {0, 1e9, "d"}},
    {"l2_bytes", {0, 4e9, "c"}},   {"atomics_distinct", {0, 1e8, "a"}},  {"atomics_equal", {0, 1e6, "e"}},
    {"slow_flops", {0, 1e9, "s"}}, {"tensor_bf16_flops", {0, 1e12, "t"}}};

nlohmann::json work(double bytes, double atomics, double flops) {
  return {{"bytes", bytes}, {"atomics", atomics}, {"flops", flops}};
}

TEST(Floors, DivideTheWorkByTheCeilings) {
  const auto out = floors(made_ceilings, work(8000, 500, 3e6), 16, "cold-clean");
  EXPECT_DOUBLE_EQ(out["launch_us"], 2);
  EXPECT_DOUBLE_EQ(out["bytes_us"], 8);
  EXPECT_DOUBLE_EQ(out["atomics_us"], 5);
  EXPECT_DOUBLE_EQ(out["flops_us"], 3);
  EXPECT_EQ(out["binding"], "bytes");
  EXPECT_DOUBLE_EQ(out["time_over_floor"], 2);
}

TEST(Floors, EachCanBind) {
  EXPECT_EQ(floors(made_ceilings, work(0, 0, 0), 4, "cold-clean")["binding"], "launch");
  EXPECT_EQ(floors(made_ceilings, work(8000, 900, 0), 4, "cold-clean")["binding"], "atomics");
  EXPECT_EQ(floors(made_ceilings, work(8000, 0, 9e6), 4, "cold-clean")["binding"], "flops");
}

TEST(Floors, HotCasesAreHeldAgainstTheL2WhereItIsKnown) {
  EXPECT_DOUBLE_EQ(floors(made_ceilings, work(8000, 0, 0), 4, "hot")["bytes_us"], 2);
  EXPECT_DOUBLE_EQ(floors(made_ceilings, work(8000, 0, 0), 4, "rotating")["bytes_us"], 8);
  measured_ceilings without = made_ceilings;
  without.erase("l2_bytes");
  EXPECT_DOUBLE_EQ(floors(without, work(8000, 0, 0), 4, "hot")["bytes_us"], 8);
}

TEST(Floors, CeilingsOfRandomAccessesBoundNothing) {
  measured_ceilings more = made_ceilings;
  more["random_read_sectors_16mib"] = {0, 1e15, "r"};
  more["random_cas_256mib"] = {0, 1, "c"};
  for (const char* state : {"cold-clean", "hot"})
    EXPECT_EQ(floors(more, work(8000, 500, 3e6), 16, state),
              floors(made_ceilings, work(8000, 500, 3e6), 16, state));
}

TEST(Floors, TheLaunchIsThatOfTheMethod) {
  EXPECT_DOUBLE_EQ(floors(made_ceilings, work(0, 0, 0), 4, "cold-clean")["launch_us"], 2);
  EXPECT_DOUBLE_EQ(floors(made_ceilings, work(0, 0, 0), 4, "hot")["launch_us"], 0.5);
  EXPECT_DOUBLE_EQ(floors(made_ceilings, work(0, 0, 0), 4, "rotating")["launch_us"], 0.5);
}

TEST(Floors, AreNullWhereTheCeilingWasNotMeasured) {
  const auto out = floors({{"launch", {2.0, 0, "l"}}}, work(8000, 0, 0), 3, "cold-clean");
  EXPECT_TRUE(out["bytes_us"].is_null());
  EXPECT_EQ(out["atomics_us"], 0);
  EXPECT_EQ(out["binding"], "launch");
  EXPECT_DOUBLE_EQ(out["time_over_floor"], 1.5);
  EXPECT_TRUE(floors({}, work(8000, 0, 0), 3, "cold-clean").is_null());
  EXPECT_TRUE(floors({{"dram_bytes", {0, 1e9, "d"}}}, work(0, 0, 0), 3, "cold-clean")["binding"].is_null());
}

}  // namespace
}  // namespace ablate
