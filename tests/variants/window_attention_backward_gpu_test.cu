// window_attention_backward on the GPU: every variant against plain fp32 gradients and the fp64 oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/window_attention/made_inputs.h"
#include "tests/support/gpu.cuh"
#include "tests/support/rows.h"
#include "tests/support/variant_run.cuh"

namespace ablate::testing {
namespace {

class WindowAttentionBackwardOnGpu : public gpu_test {
 protected:
  /// Calls `then(variant, run)` behind the check of each variant that applies.
  template <class Then>
  void expect_right(const axis_values& given, Then then) const {
    const operation& op = *find_operation("window_attention_backward");
    variant_run run(op, given, inputs_);
    for (const variant_facts& v : op.variants) {
      if (!run.applies(v) || v.minimum_compute_capability > compute_capability()) continue;
      const check_result result = run.check(v);
      EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
      then(v, run);
    }
  }
  void expect_right(const axis_values& given) const {
    expect_right(given, [](const variant_facts&, variant_run&) {});
  }

  /// bf16 numbers on the device.
  static std::vector<float> numbers(const variant_run& run, const char* name, std::size_t count,
                                    const axis_values& given) {
    const auto bits = contents<std::uint16_t>(run, name, given);
    EXPECT_EQ(bits.size(), count);
    std::vector<float> result;
    for (const std::uint16_t b : bits) result.push_back(window_attention::float_of_bf16(b));
    return result;
  }

  /// The rows, window after window.
  static std::vector<std::int64_t> row_of_token(const variant_run& run, const axis_values& given) {
    const auto scattered = contents<std::int64_t>(run, "row_of_token", given);
    return scattered.empty()
               ? rows_of_buckets(contents<std::uint32_t>(run, "scope", given), given.integer("bucket"))
               : scattered;
  }

  input_library inputs_{1, {}, {}};

 private:
  /// A whole buffer.
  template <class T>
  static std::vector<T> contents(const variant_run& run, const std::string& name, const axis_values& given) {
    const operation& op = *find_operation("window_attention_backward");
    const std::vector<buffer> buffers = op.buffers(values_of(op, given), input_library{1, {}, {}});
    std::size_t at = 0;
    while (buffers.at(at).name != name) ++at;
    std::vector<T> result(buffers[at].bytes / sizeof(T));
    EXPECT_EQ(cudaMemcpy(result.data(), run.address(at), buffers[at].bytes, cudaMemcpyDeviceToHost),
              cudaSuccess);
    return result;
  }
};

TEST_F(WindowAttentionBackwardOnGpu, EveryKernelOnFewRows) {
  for (const char* width : {"16", "32", "64", "128"})
    for (const char* window : {"128", "256", "512"}) {
      SCOPED_TRACE(std::string(width) + ", window " + window);
      expect_right(
          {{"tokens", "1024"}, {"window", window}, {"bucket", "128"}, {"heads", "2"}, {"width", width}});
    }
}

TEST_F(WindowAttentionBackwardOnGpu, EveryOrderOfBuckets) {
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
    axis_values given = of_all;
    for (const auto& [name, value] : more) given.set(name, value);
    expect_right(given, [&](const variant_facts& v, variant_run& run) {
      const std::vector<float> of_v = numbers(run, "v_gradient", tokens * columns, given),
                               of_out = numbers(run, "out_gradient", tokens * columns, given);
      const std::vector<std::int64_t> rows = row_of_token(run, given);
      double apart[2][columns] = {}, squared[2][columns] = {};
      for (std::size_t token = 0; token < tokens; ++token)
        for (std::size_t c = 0; c < columns; ++c) {
          const std::size_t at = static_cast<std::size_t>(rows[token]) * columns + c;
          apart[token / window][c] += static_cast<double>(of_v[at]) - of_out[at];
          squared[token / window][c] += static_cast<double>(of_out[at]) * of_out[at];
        }
      // Each number of P and of dV is rounded to 8 bits, up or down.
      for (int w = 0; w < 2; ++w)
        for (std::size_t c = 0; c < columns; ++c) {
          ASSERT_GT(squared[w][c], window / 4.0);
          EXPECT_LE(std::fabs(apart[w][c]), std::sqrt(squared[w][c]) / 256) << v.name << ", column " << c;
        }
    });
  }
}

TEST_F(WindowAttentionBackwardOnGpu, SumsInOneOrderGiveTheSameBitsEachTime) {
  constexpr std::size_t count = 4096 * 2 * 64;
  for (const char* window : {"1024", "2048"}) {
    const axis_values given = {{"tokens", "4096"}, {"window", window}, {"heads", "2"}, {"width", "64"}};
    expect_right(given, [&](const variant_facts& v, variant_run& run) {
      if (v.switches.word("dq") != "two_pass" && v.switches.word("dq") != "split") return;
      for (const char* gradient : {"q_gradient", "k_gradient", "v_gradient"}) {
        const std::vector<float> before = numbers(run, gradient, count, given);
        run.launch(v);
        EXPECT_TRUE(before == numbers(run, gradient, count, given)) << v.name << ", " << gradient;
      }
    });
  }
}

TEST_F(WindowAttentionBackwardOnGpu, FullSizes) {
  for (const char* width : {"16", "32", "64", "128"}) {
    SCOPED_TRACE(width);
    expect_right({{"tokens", "36864"}, {"window", "4096"}, {"heads", "4"}, {"width", width}});
  }
}

}  // namespace
}  // namespace ablate::testing
