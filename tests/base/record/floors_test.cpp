#include "base/record/floors.h"

#include <gtest/gtest.h>

#include "base/record/case_json.h"

namespace ablate::floors_test {
namespace {

// 1 byte a nanosecond, 1 atomic in 10 ns, 1000 FLOPs a nanosecond.
const measured_ceilings made_ceilings = {
    {"launch", {2.0, 0, "l"}},     {"launch_hot", {0.5, 0, "h"}},        {"dram_bytes", {0, 1e9, "d"}},
    {"l2_bytes", {0, 4e9, "c"}},   {"atomics_distinct", {0, 1e8, "a"}},  {"atomics_equal", {0, 1e6, "e"}},
    {"slow_flops", {0, 1e9, "s"}}, {"tensor_bf16_flops", {0, 1e12, "t"}}};

using work_amounts = measured_case::work_amounts;

work_amounts work(double bytes, double atomics, double flops) {
  return {.bytes = bytes, .flops = flops, .atomics = atomics};
}

nlohmann::ordered_json shown(const std::optional<measured_case::floor_times>& of) {
  return of ? to_json(*of) : nlohmann::ordered_json();
}

TEST(Floors, DivideTheWorkByTheCeilings) {
  const auto out = shown(floors(made_ceilings, work(8000, 500, 3e6), 16, "cold-clean", 0));
  EXPECT_DOUBLE_EQ(out["launch_us"], 2);
  EXPECT_DOUBLE_EQ(out["bytes_us"], 8);
  EXPECT_DOUBLE_EQ(out["atomics_us"], 5);
  EXPECT_DOUBLE_EQ(out["flops_us"], 3);
  EXPECT_EQ(out["binding"], "bytes");
  EXPECT_DOUBLE_EQ(out["time_over_floor"], 2);
}

TEST(Floors, FlopsAreHeldAgainstTheFastestCeilingOfTheirPipe) {
  measured_ceilings more = made_ceilings;
  more["tensor_bf16_wgmma_flops"] = {0, 2e12, "w"};
  more["tensor_bf16x_flops"] = {0, 8e12, "another pipe"};
  more["fma_f32_flops"] = {0, 1e11, "f"};
  const auto flops_us = [&](const char* pipe) {
    work_amounts of_pipe = work(0, 0, 4e6);
    of_pipe.flop_pipe = pipe;
    return shown(floors(more, of_pipe, 80, "cold-clean", 0))["flops_us"];
  };
  EXPECT_DOUBLE_EQ(flops_us("fma_f32"), 40);
  EXPECT_DOUBLE_EQ(flops_us("tensor_bf16"), 2);
  EXPECT_DOUBLE_EQ(flops_us(""), 0.5);  // as in records that name no pipe
  EXPECT_TRUE(flops_us("fma_f64").is_null());
  more.erase("tensor_bf16_wgmma_flops");  // GA100
  EXPECT_DOUBLE_EQ(flops_us("tensor_bf16"), 4);
  more.erase("fma_f32_flops");
  EXPECT_TRUE(flops_us("fma_f32").is_null());
}

TEST(Floors, TheRateOfAPipeIsThatOfItsFastestCeiling) {
  EXPECT_EQ(flops_per_s(made_ceilings, "tensor_bf16"), 1e12);
  EXPECT_EQ(flops_per_s(made_ceilings, "slow"), 1e9);
  EXPECT_EQ(flops_per_s(made_ceilings, "slo"), std::nullopt);
  EXPECT_EQ(flops_per_s(made_ceilings, ""), 1e12);
  EXPECT_EQ(flops_per_s({}, ""), std::nullopt);
}

TEST(Floors, TellDeviceMemoryFromTheL2) {
  measured_ceilings split = made_ceilings;
  split["dram_read_bytes"] = {0, 0.5e9, "r"};
  work_amounts writes = work(8000, 0, 0);
  const auto floors_of = [&](double written, const char* cache_state, double l2_capacity) {
    writes.written_bytes = written;
    return shown(floors(split, writes, 80, cache_state, l2_capacity));
  };
  const auto stays = floors_of(6000, "cold-clean", 6000);
  EXPECT_DOUBLE_EQ(stays["dram_us"], 4) << "2000 bytes, at the rate of reading";
  EXPECT_DOUBLE_EQ(stays["l2_us"], 1.5) << "6000 bytes written";
  EXPECT_DOUBLE_EQ(stays["bytes_us"], 4);
  const auto overflows = floors_of(6000, "cold-clean", 5000);
  EXPECT_DOUBLE_EQ(overflows["dram_us"], 3) << "3000 bytes, at the fastest rate";
  EXPECT_DOUBLE_EQ(floors_of(7900, "cold-clean", 9000)["bytes_us"], 1.975) << "the L2 takes longer";
  EXPECT_DOUBLE_EQ(floors_of(6000, "rotating", 9000)["dram_us"], 8);
  EXPECT_DOUBLE_EQ(floors_of(6000, "hot", 9000)["dram_us"], 0);
  EXPECT_DOUBLE_EQ(floors_of(6000, "hot", 9000)["bytes_us"], 1.5);
  EXPECT_DOUBLE_EQ(floors_of(0, "cold-clean", 9000)["dram_us"], 16) << "reads alone";
  writes.written_bytes.reset();
  const auto older = shown(floors(split, writes, 80, "cold-clean", 9000));
  EXPECT_DOUBLE_EQ(older["bytes_us"], 8);
  EXPECT_FALSE(older.contains("dram_us"));
}

TEST(Floors, EachCanBind) {
  EXPECT_EQ(shown(floors(made_ceilings, work(0, 0, 0), 4, "cold-clean", 0))["binding"], "launch");
  EXPECT_EQ(shown(floors(made_ceilings, work(8000, 900, 0), 4, "cold-clean", 0))["binding"], "atomics");
  EXPECT_EQ(shown(floors(made_ceilings, work(8000, 0, 9e6), 4, "cold-clean", 0))["binding"], "flops");
}

TEST(Floors, HotCasesAreHeldAgainstTheL2WhereItIsKnown) {
  EXPECT_DOUBLE_EQ(shown(floors(made_ceilings, work(8000, 0, 0), 4, "hot", 0))["bytes_us"], 2);
  EXPECT_DOUBLE_EQ(shown(floors(made_ceilings, work(8000, 0, 0), 4, "rotating", 0))["bytes_us"], 8);
  measured_ceilings without = made_ceilings;
  without.erase("l2_bytes");
  EXPECT_DOUBLE_EQ(shown(floors(without, work(8000, 0, 0), 4, "hot", 0))["bytes_us"], 8);
}

// The smaller the memory, the faster.
measured_ceilings with_random_accesses() {
  measured_ceilings more = made_ceilings;
  more["random_read_sectors_64kib"] = {0, 1e12, "r"};
  more["random_read_sectors_16mib"] = {0, 1e10, "r"};
  more["random_read_sectors_1gib"] = {0, 1e9, "r"};
  more["random_cas_16mib"] = {0, 1e9, "c"};
  more["random_cas_256mib"] = {0, 1e8, "c"};
  return more;
}

work_amounts random_work(std::vector<work_amounts::random_access> accesses) {
  work_amounts all = work(8000, 0, 0);
  all.random = std::move(accesses);
  return all;
}

TEST(Floors, CeilingsOfRandomAccessesBoundNothingElse) {
  for (const char* state : {"cold-clean", "hot"}) {
    const auto out = shown(floors(with_random_accesses(), work(8000, 500, 3e6), 16, state, 0));
    EXPECT_EQ(out, shown(floors(made_ceilings, work(8000, 500, 3e6), 16, state, 0)));
    EXPECT_EQ(out["random_us"], 0);
  }
}

TEST(Floors, RandomAccessesHaveTheRateOfTheLargestFootprintWithinTheirOwn) {
  const auto random_us = [](double footprint_bytes) {
    return shown(floors(with_random_accesses(), random_work({{"random_read_sectors", 1e6, footprint_bytes}}),
                        2000, "hot", 0))["random_us"];
  };
  constexpr double mebibyte = 1 << 20;
  EXPECT_DOUBLE_EQ(random_us(16 * mebibyte), 100);
  EXPECT_DOUBLE_EQ(random_us(1023 * mebibyte), 100);
  EXPECT_DOUBLE_EQ(random_us(1024 * mebibyte), 1000);
  EXPECT_DOUBLE_EQ(random_us(1e15), 1000);
  EXPECT_DOUBLE_EQ(random_us(16 * mebibyte - 1), 1);
  EXPECT_DOUBLE_EQ(random_us(64), 1);  // below all
}

TEST(Floors, RandomAccessesAddUpByResourceAndTheGreatestSumBinds) {
  const auto out = shown(floors(with_random_accesses(),
                                random_work({{"random_cas", 1000, 1 << 24},
                                             {"random_cas", 2000, 1 << 28},
                                             {"random_read_sectors", 1e5, 1 << 24}}),
                                42, "cold-clean", 0));
  EXPECT_DOUBLE_EQ(out["random_us"], 1 + 20);
  EXPECT_EQ(out["binding"], "random");
  EXPECT_DOUBLE_EQ(out["time_over_floor"], 2);
}

TEST(Floors, RandomAccessesOfUnknownRateHaveNone) {
  const auto out =
      shown(floors(made_ceilings, random_work({{"random_cas", 1e9, 1 << 24}}), 16, "cold-clean", 0));
  EXPECT_TRUE(out["random_us"].is_null());
  EXPECT_EQ(out["binding"], "bytes");
  measured_ceilings misnamed = made_ceilings;
  for (const char* size : {"16", "mib", "16mibs", ""})
    misnamed[std::string("random_cas_") + size] = {0, 1e9, "c"};
  EXPECT_EQ(shown(floors(misnamed, random_work({{"random_cas", 1e9, 1 << 24}}), 16, "cold-clean", 0)), out);
  const auto one_known = shown(
      floors(with_random_accesses(),
             random_work({{"random_cas", 1e5, 1 << 24}, {"random_hops", 1e9, 1 << 24}}), 200, "hot", 0));
  EXPECT_DOUBLE_EQ(one_known["random_us"], 100);
}

TEST(Floors, AtomicsAreHeldAgainstEachCeilingThatTheWorkNames) {
  measured_ceilings more = made_ceilings;
  more["atomics_distinct_f32"] = {0, 1e8, "s"};
  more["atomics_full_sectors_f32"] = {0, 4e8, "w"};
  const auto atomics_us = [&](double sectors, double words) {
    work_amounts bounded = work(0, words, 0);
    bounded.reductions = {{"atomics_distinct_f32", sectors}, {"atomics_full_sectors_f32", words}};
    return shown(floors(more, bounded, 100, "cold-clean", 0))["atomics_us"];
  };
  EXPECT_DOUBLE_EQ(atomics_us(1000, 1000), 10);
  EXPECT_DOUBLE_EQ(atomics_us(1000, 8000), 20);
  EXPECT_EQ(atomics_us(0, 0), 0);
  more.erase("atomics_full_sectors_f32");
  EXPECT_DOUBLE_EQ(atomics_us(1000, 8000), 10);
  more.erase("atomics_distinct_f32");
  EXPECT_TRUE(atomics_us(1000, 8000).is_null());
}

TEST(Floors, TheLaunchIsThatOfTheMethod) {
  EXPECT_DOUBLE_EQ(shown(floors(made_ceilings, work(0, 0, 0), 4, "cold-clean", 0))["launch_us"], 2);
  EXPECT_DOUBLE_EQ(shown(floors(made_ceilings, work(0, 0, 0), 4, "hot", 0))["launch_us"], 0.5);
  EXPECT_DOUBLE_EQ(shown(floors(made_ceilings, work(0, 0, 0), 4, "rotating", 0))["launch_us"], 0.5);
}

TEST(Floors, AreNullWhereTheCeilingWasNotMeasured) {
  const auto out = shown(floors({{"launch", {2.0, 0, "l"}}}, work(8000, 0, 0), 3, "cold-clean", 0));
  EXPECT_TRUE(out["bytes_us"].is_null());
  EXPECT_EQ(out["atomics_us"], 0);
  EXPECT_EQ(out["binding"], "launch");
  EXPECT_DOUBLE_EQ(out["time_over_floor"], 1.5);
  EXPECT_TRUE(shown(floors({}, work(8000, 0, 0), 3, "cold-clean", 0)).is_null());
  EXPECT_TRUE(
      shown(floors({{"dram_bytes", {0, 1e9, "d"}}}, work(0, 0, 0), 3, "cold-clean", 0))["binding"].is_null());
}

}  // namespace
}  // namespace ablate::floors_test
