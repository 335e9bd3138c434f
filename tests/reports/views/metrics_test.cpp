#include "reports/views/metrics.h"

#include "tests/reports/counted_record.h"

namespace ablate::reports::metrics_test {
namespace {

/// A record of a device of architecture sm_90a and one case of 4 µs, without counters.
record made() {
  record r{};
  r.device = {{"architecture", "sm_90a"}};
  measured_case& c = r.cases.emplace_back();
  c.time.median_us = 4;
  c.input = {{"points", 1000}};
  return r;
}

std::optional<double> of(const record& r, std::string_view name) {
  return metric_named(name).of(r, r.cases[0]);
}

TEST(Metrics, BandwidthIsCountedBytesOverTheTimedMedian) {
  record r = made();
  r.cases[0].counters.values = {{"dram__bytes_read.sum", 8e6}, {"dram__bytes_write.sum", std::nullopt}};
  EXPECT_DOUBLE_EQ(*of(r, "dram_read_gb_s"), 2000);
  EXPECT_DOUBLE_EQ(*of(r, "dram_read_mb"), 8);
  EXPECT_FALSE(of(r, "dram_write_gb_s"));
}

TEST(Metrics, ReductionSectorsArePerPointOfTheInput) {
  record r = made();
  r.cases[0].counters.values = {{"lts__t_sectors_op_red.sum", 250}};
  EXPECT_DOUBLE_EQ(*of(r, "red_sectors_per_point"), 0.25);
  r.cases[0].input = {{"points", 0}};
  EXPECT_FALSE(of(r, "red_sectors_per_point"));
}

TEST(Metrics, WithoutCountersThereAreNone) {
  const record r = made();
  for (const metric& m : case_metrics()) EXPECT_FALSE(m.of(r, r.cases[0])) << m.name;
}

TEST(Metrics, TheoreticalOccupancyIsWeightedByActiveCycles) {
  record r = made();
  const auto kernel = [](const char* name, double occupancy) {
    return measured_case::kernel_launch{
        name, {1, 1, 1}, {32, 1, 1}, 0, {{"sm_80", 0.1}, {"sm_90a", occupancy}}};
  };
  r.cases[0].kernels = {kernel("a", 1)};
  EXPECT_DOUBLE_EQ(*of(r, "theoretical_occupancy_pct"), 100);
  r.cases[0].kernels = {kernel("a", 1), kernel("b", 0.5)};
  EXPECT_FALSE(of(r, "theoretical_occupancy_pct"));  // no cycles to weigh them by
  r.cases[0].counters.kernels = {{"a", {{"sm__cycles_active.avg", 100}, {"sm__cycles_elapsed.max", 900}}},
                                 {"b", {{"sm__cycles_active.avg", 300}, {"sm__cycles_elapsed.max", 400}}}};
  EXPECT_DOUBLE_EQ(*of(r, "theoretical_occupancy_pct"), 62.5);
  r.cases[0].counters.kernels[1].name = "another";
  EXPECT_FALSE(of(r, "theoretical_occupancy_pct"));
}

TEST(Metrics, FlopsOfTheWorkNeedNoCounter) {
  record r = made();
  r.cases[0].work.flops = 4e9;  // in 4 µs: 1e15 a second
  EXPECT_FALSE(of(r, "work_flop_pct"));
  r.ceilings["tensor_bf16_flops"].rate_per_s = 2e15;
  EXPECT_DOUBLE_EQ(*of(r, "work_flop_pct"), 50);
  r.cases[0].work.flops = 0;
  EXPECT_FALSE(of(r, "work_flop_pct"));
}

TEST(Metrics, FlopsOfTheWorkAreHeldAgainstTheirPipe) {
  record r = made();
  r.cases[0].work.flops = 4e9;
  r.ceilings["tensor_bf16_flops"].rate_per_s = 2e15;
  r.ceilings["tensor_bf16_wgmma_flops"].rate_per_s = 4e15;
  r.cases[0].work.flop_pipe = "fma_f32";
  EXPECT_FALSE(of(r, "work_flop_pct"));
  r.ceilings["fma_f32_flops"].rate_per_s = 1.25e15;
  EXPECT_DOUBLE_EQ(*of(r, "work_flop_pct"), 80);
  r.cases[0].work.flop_pipe = "tensor_bf16";
  EXPECT_DOUBLE_EQ(*of(r, "work_flop_pct"), 25);
}

TEST(Metrics, TensorFlopsAreHeldAgainstTheMeasuredCeiling) {
  record r = made();
  r.cases[0].counters.values = {{"sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off.sum", 3e9},
                                {"sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum", 1e9},
                                {"sm__ops_path_tensor_src_bf16_dst_fp32_sparsity_off.sum", 4e9}};
  EXPECT_FALSE(of(r, "tensor_flop_pct"));
  r.ceilings["tensor_bf16_flops"].rate_per_s = 2e15;
  EXPECT_DOUBLE_EQ(*of(r, "tensor_flop_pct"), 50);  // not counted twice
  r.ceilings["tensor_bf16_wgmma_flops"].rate_per_s = 4e15;
  r.ceilings["fma_f32_flops"].rate_per_s = 8e15;
  EXPECT_DOUBLE_EQ(*of(r, "tensor_flop_pct"), 25);
}

TEST(Metrics, AnUnknownNameIsRefused) { EXPECT_THROW(metric_named("nothing"), std::out_of_range); }

}  // namespace
}  // namespace ablate::reports::metrics_test
