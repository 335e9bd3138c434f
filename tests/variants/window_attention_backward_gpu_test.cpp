// window_attention_backward on the GPU: every variant against plain fp32 gradients and the fp64 oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/axis_values.h"
#include "tests/support/named_variant.h"
#include "tests/support/rows.h"
#include "tests/support/spoiled_rows.cuh"
#include "tests/variants/window_attention_on_gpu.cuh"

namespace ablate::test_support::window_attention_backward_gpu_test {
namespace {

class WindowAttentionBackwardOnGpu : public window_attention_on_gpu {
 protected:
  WindowAttentionBackwardOnGpu() : window_attention_on_gpu("window_attention_backward") {}

  /// A bf16 buffer of the device as floats.
  static std::vector<float> numbers(const variant_run& run, const char* name) {
    std::vector<float> result;
    for (const std::uint16_t bits : run.contents<std::uint16_t>(name))
      result.push_back(window_attention::float_of_bf16(bits));
    return result;
  }

  /// The rows, window by window.
  static std::vector<std::int64_t> row_of_token(const variant_run& run, long bucket) {
    const auto scattered = run.contents<std::int64_t>("row_of_token");
    return scattered.empty() ? rows_of_buckets(run.contents<std::uint32_t>("scope"), bucket) : scattered;
  }
};

TEST_F(WindowAttentionBackwardOnGpu, EveryKernelOnFewRows) { expect_right_on_few_tokens(); }

TEST_F(WindowAttentionBackwardOnGpu, MoreWindowsThanBlocksThatPersist) {
  expect_right_in_many_windows({"16", "32", "64", "128"});
}

TEST_F(WindowAttentionBackwardOnGpu, EveryOrderOfBuckets) { expect_right_in_every_order_of_buckets(); }

TEST_F(WindowAttentionBackwardOnGpu, RowsWhereverTheyStand) {
  for (const char* width : {"16", "32", "64", "128"})
    for (const char* rows : {"contiguous", "random", "scan", "z"}) {
      SCOPED_TRACE(std::string(width) + ", " + rows);
      expect_right({{"tokens", "6144"},
                    {"window", "1536"},
                    {"bucket", "256"},
                    {"heads", "3"},
                    {"width", width},
                    {"batches", "2"},
                    {"rows", rows}});
    }
}

TEST_F(WindowAttentionBackwardOnGpu, ScoresOfZero) {
  for (const char* width : {"16", "32", "64", "128"}) {
    SCOPED_TRACE(width);
    expect_right({{"tokens", "2048"},
                  {"window", "1024"},
                  {"bucket", "512"},
                  {"heads", "2"},
                  {"width", width},
                  {"scores", "zero"}});
  }
}

TEST_F(WindowAttentionBackwardOnGpu, ColumnsOfDvAndOfDoHaveTheSameSum) {
  constexpr std::size_t tokens = 2048, window = 1024, columns = 2 * 32;
  const axis_values of_all = {
      {"tokens", "2048"}, {"window", "1024"}, {"bucket", "256"}, {"heads", "2"}, {"width", "32"}};
  for (const axis_values& more :
       {axis_values{{"stride", "2"}}, axis_values{{"rows", "contiguous"}}, axis_values{{"rows", "random"}}}) {
    expect_right(with(of_all, more), [&](const variant_facts& v, variant_run& run) {
      const std::vector<float> of_v = numbers(run, "v_gradient"), of_out = numbers(run, "out_gradient");
      const std::vector<std::int64_t> rows = row_of_token(run, 256);
      double apart[2][columns] = {}, squared[2][columns] = {};
      for (std::size_t token = 0; token < tokens; ++token)
        for (std::size_t c = 0; c < columns; ++c) {
          const std::size_t at = static_cast<std::size_t>(rows[token]) * columns + c;
          apart[token / window][c] += static_cast<double>(of_v[at]) - of_out[at];
          squared[token / window][c] += static_cast<double>(of_out[at]) * of_out[at];
        }
      // Each element of P and dV is rounded to 8 bits, up or down.
      for (int w = 0; w < 2; ++w)
        for (std::size_t c = 0; c < columns; ++c) {
          ASSERT_GT(squared[w][c], window / 4.0);
          EXPECT_LE(std::fabs(apart[w][c]), std::sqrt(squared[w][c]) / 256) << v.name << ", column " << c;
        }
    });
  }
}

TEST_F(WindowAttentionBackwardOnGpu, SumsInOneOrderGiveTheSameBitsEachTime) {
  for (const char* window : {"1024", "2048"}) {
    const axis_values given = {{"tokens", "4096"}, {"window", window}, {"heads", "2"}, {"width", "64"}};
    expect_right(given, [&](const variant_facts& v, variant_run& run) {
      const std::string& dq = v.switches.word("dq");
      if (dq != "two_pass" && dq != "split" && dq != "owned") return;
      for (const char* gradient : {"q_gradient", "k_gradient", "v_gradient"}) {
        const std::vector<float> before = numbers(run, gradient);
        run.launch(v);
        EXPECT_TRUE(before == numbers(run, gradient)) << v.name << ", " << gradient;
      }
    });
  }
}

/// Several blocks of keys add to each sum, in windows of one tile of queries and of many; where blocks
/// persist they take several of them.
TEST_F(WindowAttentionBackwardOnGpu, KeptSumsAreZerosBehindEachLaunch) {
  for (const char* width : {"16", "32", "64", "128"})
    for (const axis_values& given : {axis_values{{"tokens", "2048"}, {"window", "1024"}, {"heads", "2"}},
                                     axis_values{{"tokens", "1152"}, {"window", "384"}, {"batches", "2"}},
                                     axis_values{{"tokens", "19200"}, {"window", "128"}, {"heads", "2"}},
                                     axis_values{{"tokens", "16384"}, {"window", "512"}, {"heads", "4"}}}) {
      axis_values at = given;
      at.set("width", width);
      at.set("bucket", "128");
      at.set("order", "shuffled");
      variant_run run(tested(), at, inputs_);
      for (const variant_facts& v : tested().variants) {
        if (!v.switches.has("rounding") || !run.applies(v)) continue;
        SCOPED_TRACE(v.name + ", width " + width + ", window " + at.word("window"));
        for (int launch = 0; launch < 3; ++launch) {
          const check_result result = run.check(v, false, launch + 1);
          EXPECT_TRUE(result.ok) << "launch " << launch << ": " << result.message;
          const auto kept = run.contents<std::uint32_t>("kept_sums");
          EXPECT_EQ(std::ranges::count(kept, 0u), std::ssize(kept)) << "launch " << launch;
        }
      }
    }
}

TEST_F(WindowAttentionBackwardOnGpu, TheCheckFindsOneWrongRowOfEachGradientWhereverItStands) {
  const variant_facts& variant = test_support::named_variant(tested(), "mma_two_pass");
  for (const char* width : {"16", "128"}) {
    SCOPED_TRACE(width);
    variant_run run(tested(),
                    {{"tokens", "1024"},
                     {"window", "256"},
                     {"bucket", "128"},
                     {"heads", "3"},
                     {"width", width},
                     {"batches", "2"},
                     {"order", "shuffled"}},
                    inputs_);
    const check_result right = run.check(variant);
    ASSERT_TRUE(right.ok) << right.message;
    for (const char* gradient : {"q_gradient", "k_gradient", "v_gradient"})
      expect_spoiled_rows_found(run, variant, gradient,
                                {1024, 3, static_cast<std::size_t>(std::stoi(width))});
  }
}

/// The host's time, which needs the GPU to itself.
class TimesOfWindowAttentionBackwardChecks : public WindowAttentionBackwardOnGpu {};

TEST_F(TimesOfWindowAttentionBackwardChecks, OfALargeCaseAreNoLongerThanItsSamples) {
  expect_checks_of_a_large_case_within(2.0, "mma_two_pass", {{"16", "8"}, {"64", "8"}, {"128", "4"}});
}

TEST_F(WindowAttentionBackwardOnGpu, FullSizes) { expect_right_at_full_sizes(); }

}  // namespace
}  // namespace ablate::test_support::window_attention_backward_gpu_test
