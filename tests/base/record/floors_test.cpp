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
  EXPECT_EQ(shown(floors(made_ceilings, work(8000, 0, 0), 4, "cold-clean", 0))["binding"], "bytes");
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
  EXPECT_EQ(out["model_binding"], "random");
  EXPECT_DOUBLE_EQ(out["time_over_model"], 2);
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

TEST(Floors, WhatBoundsOneWayOfDoingItIsAModel) {
  const auto out = shown(floors(made_ceilings, work(8000, 900, 0), 18, "cold-clean", 0));
  EXPECT_DOUBLE_EQ(out["bytes_us"], 8);
  EXPECT_DOUBLE_EQ(out["atomics_us"], 9);
  EXPECT_EQ(out["binding"], "bytes");
  EXPECT_DOUBLE_EQ(out["time_over_floor"], 2.25);
  EXPECT_EQ(out["model_binding"], "atomics");
  EXPECT_DOUBLE_EQ(out["time_over_model"], 2);
}

TEST(Floors, AModelThatIsNoLongerThanTheFloorIsNotNamed) {
  for (const double atomics : {0.0, 700.0, 800.0}) {
    const auto out = shown(floors(made_ceilings, work(8000, atomics, 0), 16, "cold-clean", 0));
    EXPECT_EQ(out["binding"], "bytes");
    EXPECT_FALSE(out.contains("model_binding")) << atomics;
    EXPECT_FALSE(out.contains("time_over_model")) << atomics;
  }
}

TEST(Floors, AModelMayStandWithoutAFloor) {
  const auto out =
      shown(floors({{"atomics_distinct", {0, 1e8, "a"}}}, work(8000, 900, 0), 18, "cold-clean", 0));
  EXPECT_TRUE(out["binding"].is_null());
  EXPECT_EQ(out["model_binding"], "atomics");
}

TEST(Floors, WhichBoundsAreModels) {
  for (const char* name : {"launch", "bytes", "flops", "exponentials"})
    EXPECT_FALSE(is_of_model(name)) << name;
  for (const char* name : {"atomics", "random", "gathered", "steps"}) EXPECT_TRUE(is_of_model(name)) << name;
}

measured_case::floor_times times_of(const work_amounts& work, double median_us) {
  return floors(made_ceilings, work, median_us, "cold-clean", 0).value();
}

TEST(Floors, OfARecordBeforeModelsAreToldApartWhenRead) {
  measured_case c{};
  c.time.median_us = 6;
  c.floors = before_models(times_of(work(8000, 1200, 0), 6));
  EXPECT_EQ(c.floors->binding, "atomics");
  EXPECT_DOUBLE_EQ(c.floors->time_over_floor.value(), 0.5);
  EXPECT_FALSE(c.floors->model_binding);
  EXPECT_EQ(floor_of(c)->name, "bytes");
  EXPECT_DOUBLE_EQ(floor_of(c)->time_over, 0.75);
  EXPECT_EQ(model_of(c)->name, "atomics");
  EXPECT_DOUBLE_EQ(model_of(c)->time_over, 0.5);
  EXPECT_EQ(binding_bound(c)->name, "atomics");
  EXPECT_EQ(to_json(todays_floors(c).value()), to_json(times_of(work(8000, 1200, 0), 6)));
  c.floors = before_models(times_of(work(8000, 100, 0), 6));
  EXPECT_EQ(to_json(*c.floors), to_json(times_of(work(8000, 100, 0), 6))) << "the floor binds";
  EXPECT_EQ(binding_bound(c)->name, "bytes");
  c.floors.reset();
  EXPECT_FALSE(floor_of(c));
  EXPECT_FALSE(model_of(c));
  EXPECT_FALSE(todays_floors(c));
}

TEST(Floors, ExponentialsHaveTheFastestWayOfComputingThem) {
  work_amounts some = work(0, 0, 0);
  some.exponentials = 6e6;
  measured_ceilings more = made_ceilings;
  const auto of = [&] { return shown(floors(more, some, 48, "cold-clean", 0)); };
  EXPECT_TRUE(of()["exponentials_us"].is_null()) << "a record without that ceiling";
  EXPECT_EQ(of()["binding"], "launch");
  more["exponentials_f32"] = {0, 1e12, "e"};
  EXPECT_DOUBLE_EQ(of()["exponentials_us"], 6);
  EXPECT_EQ(of()["binding"], "exponentials");
  EXPECT_DOUBLE_EQ(of()["time_over_floor"], 8);
  more["exponentials_bf16x2"] = {0, 2e12, "e"};
  EXPECT_DOUBLE_EQ(of()["exponentials_us"], 3);
  EXPECT_FALSE(shown(floors(more, work(0, 0, 0), 48, "cold-clean", 0)).contains("exponentials_us"));
}

TEST(Floors, GatheredBytesComeFromTheL2) {
  work_amounts gathers = work(8000, 0, 0);
  gathers.gathered_bytes = 64'000;
  const auto out = shown(floors(made_ceilings, gathers, 32, "cold-clean", 0));
  EXPECT_DOUBLE_EQ(out["gathered_us"], 16);
  EXPECT_EQ(out["model_binding"], "gathered");
  EXPECT_DOUBLE_EQ(out["time_over_model"], 2);
  EXPECT_DOUBLE_EQ(out["time_over_floor"], 4) << "each byte of the input comes from device memory once";
  measured_ceilings without = made_ceilings;
  without.erase("l2_bytes");
  EXPECT_TRUE(shown(floors(without, gathers, 32, "cold-clean", 0))["gathered_us"].is_null());
}

TEST(Floors, OfStepsThatFollowOneAnotherAddUp) {
  work_amounts pass = work(8000, 0, 0);
  pass.flop_pipe = "tensor_bf16";
  pass.steps = {{"launches", 8, 100, 50, 0, 0},       // 4 us of launches
                {"reads", 1, 50'000, 10'000, 0, 0},   // 10 us of 40 000 bytes
                {"writes", 1, 50'000, 42'000, 0, 0},  // 10.5 us of 42 000 bytes
                {"products", 2, 100, 50, 20e6, 0},    // 20 us
                {"softmax", 2, 100, 50, 1e6, 30e6}};  // 1 us without a ceiling of exponentials
  const auto out = shown(floors(made_ceilings, pass, 91, "cold-clean", 0));
  EXPECT_DOUBLE_EQ(out["steps_us"], 4 + 10 + 10.5 + 20 + 1);
  EXPECT_EQ(out["model_binding"], "steps");
  EXPECT_DOUBLE_EQ(out["time_over_model"], 2);
  EXPECT_EQ(out["binding"], "bytes");
  measured_ceilings more = made_ceilings;
  more["exponentials_f32"] = {0, 1e12, "e"};
  EXPECT_DOUBLE_EQ(shown(floors(more, pass, 91, "cold-clean", 0))["steps_us"], 4 + 10 + 10.5 + 20 + 30);
  EXPECT_DOUBLE_EQ(shown(floors({{"launch_hot", {0.5, 0, "h"}}}, pass, 91, "cold-clean", 0))["steps_us"], 7);
  EXPECT_TRUE(shown(floors({{"launch", {2.0, 0, "l"}}}, pass, 91, "cold-clean", 0))["steps_us"].is_null());
  EXPECT_FALSE(shown(floors(made_ceilings, work(8000, 0, 0), 91, "cold-clean", 0)).contains("steps_us"));
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
