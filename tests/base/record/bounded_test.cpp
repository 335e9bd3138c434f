#include "base/record/bounded.h"

#include <gtest/gtest.h>

namespace ablate::reports::bounded_test {
namespace {

TEST(BoundedFigures, AreKnownByTheirNames) {
  EXPECT_EQ(max_of_counter("lts__t_request_hit_rate.pct"), 100);
  EXPECT_EQ(max_of_counter("sm__cycles_active.avg.pct_of_peak_sustained_elapsed"), 100);
  EXPECT_EQ(max_of_counter("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"), 32);
  EXPECT_EQ(max_of_counter("smsp__sass_average_data_bytes_per_wavefront_mem_shared.ratio"), 128);
  EXPECT_EQ(max_of_counter("smsp__average_thread_inst_executed_per_inst_executed.ratio"), 32);
  EXPECT_EQ(max_of_counter("dram__bytes_read.sum"), std::nullopt);
}

TEST(BoundedFigures, AreShownUpToTheirBoundAndNeverBeyond) {
  EXPECT_EQ(shown_figure(99.9, 100), 99.9);
  EXPECT_EQ(shown_figure(100.3, 100), 100) << "rounding";
  EXPECT_EQ(shown_figure(112.6, 100), std::nullopt);
  EXPECT_EQ(shown_figure(-1, 100), std::nullopt);
  EXPECT_EQ(shown_figure(104, 100, ceiling_slack), 100);
  EXPECT_EQ(shown_counter("dram__bytes_read.sum", 1e12), 1e12);
  EXPECT_EQ(shown_counter("lts__t_request_hit_rate.pct", 124), std::nullopt);
}

}  // namespace
}  // namespace ablate::reports::bounded_test
