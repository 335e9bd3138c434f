// window_attention on the GPU: every variant against plain fp32 attention and the fp64 oracle.
#include <gtest/gtest.h>

#include "tests/support/gpu.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::testing {
namespace {

class WindowAttentionOnGpu : public gpu_test {
 protected:
  void expect_right(const axis_values& given) const {
    const operation& op = *find_operation("window_attention");
    variant_run run(op, given, inputs_);
    for (const variant_facts& v : op.variants) {
      if (!run.applies(v) || v.minimum_compute_capability > compute_capability()) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    }
  }

  input_library inputs_{1, {}, {}};
};

TEST_F(WindowAttentionOnGpu, EveryWidthOnFewTokens) {
  for (const char* width : {"16", "32", "64", "128"})
    for (const char* window : {"128", "256", "512"}) {
      SCOPED_TRACE(std::string(width) + ", window " + window);
      expect_right(
          {{"tokens", "1024"}, {"window", window}, {"bucket", "128"}, {"heads", "2"}, {"width", width}});
    }
}

TEST_F(WindowAttentionOnGpu, OneWindowOfOneHead) {
  for (const char* width : {"16", "32", "64", "128"}) {
    SCOPED_TRACE(width);
    expect_right({{"tokens", "128"}, {"window", "128"}, {"bucket", "128"}, {"heads", "1"}, {"width", width}});
  }
}

TEST_F(WindowAttentionOnGpu, EveryOrderOfBuckets) {
  for (const char* width : {"16", "64", "128"}) {
    const axis_values small = {{"tokens", "6144"}, {"window", "1024"}, {"bucket", "256"},
                               {"heads", "3"},     {"width", width},   {"batches", "2"}};
    for (const char* stride : {"1", "2", "3", "6"}) {
      axis_values at = small;
      at.set("stride", stride);
      at.set("offset", "3");
      SCOPED_TRACE(std::string(width) + ", stride " + stride);
      expect_right(at);
    }
    axis_values at = small;
    at.set("order", "shuffled");
    expect_right(at);
  }
}

TEST_F(WindowAttentionOnGpu, LargeScoresAndNone) {
  for (const char* scores : {"zero", "large"})
    for (const char* width : {"16", "32", "64", "128"}) {
      SCOPED_TRACE(std::string(scores) + ", width " + width);
      expect_right({{"tokens", "2048"},
                    {"window", "1024"},
                    {"bucket", "512"},
                    {"heads", "2"},
                    {"width", width},
                    {"scores", scores}});
    }
}

TEST_F(WindowAttentionOnGpu, RowsWhereverTheyStandAndQkvPackedOrSplit) {
  for (const char* width : {"16", "32", "64", "128"})
    for (const char* rows : {"buckets", "contiguous", "random", "scan", "z"})
      for (const char* qkv : {"split", "packed"}) {
        SCOPED_TRACE(std::string(width) + ", " + rows + ", " + qkv);
        axis_values at = {{"tokens", "6144"}, {"window", "1536"}, {"bucket", "256"}, {"heads", "3"},
                          {"width", width},   {"batches", "2"},   {"rows", rows},    {"qkv", qkv}};
        expect_right(at);
        if (std::string(rows) != "random") continue;
        at.set("region", "order_and_attend");
        expect_right(at);
      }
}

TEST_F(WindowAttentionOnGpu, FullSizes) {
  for (const char* width : {"16", "32", "64", "128"}) {
    SCOPED_TRACE(width);
    expect_right({{"tokens", "36864"}, {"window", "4096"}, {"heads", "4"}, {"width", width}});
  }
}

}  // namespace
}  // namespace ablate::testing
