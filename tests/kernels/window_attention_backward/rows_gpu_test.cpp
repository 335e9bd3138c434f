// Ways to find rows in the backward pass, on the GPU: the same core gives the same bits wherever the rows
// are, and nothing leaves its window.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"
#include "tests/support/rows.h"
#include "tests/support/variant_run.cuh"

namespace ablate::window_attention_backward::rows_gpu_test {
namespace {

using ablate::test_support::permutation;
using ablate::test_support::rows_of_buckets;
using ablate::test_support::with;
using window_attention::float_of_bf16;

/// Three windows, which leave the last block of rows of each unfilled.
constexpr std::int64_t tokens = 1920, window = 640, bucket = 128, heads = 3, batches = 2;

axis_values sized(int width, const axis_values& more) {
  return with({{"tokens", std::to_string(tokens)},
               {"window", std::to_string(window)},
               {"bucket", std::to_string(bucket)},
               {"heads", std::to_string(heads)},
               {"batches", std::to_string(batches)},
               {"width", std::to_string(width)}},
              more);
}

const operation& backward() { return *find_operation("window_attention_backward"); }

const input_library& inputs() {
  static const input_library library(1, {}, {});
  return library;
}

bool gives_the_same_bits_each_time(const variant_facts& v) {
  const std::string& dq = v.switches.word("dq");
  return dq == "two_pass" || dq == "split" || dq == "owned";
}

/// bf16 [batches][tokens][heads][width] each.
struct gradients {
  std::vector<std::uint16_t> q, k, v;
  bool operator==(const gradients&) const = default;
};

template <class T>
std::vector<T> rows_from(const std::vector<T>& values, const std::vector<std::int64_t>& from, int width) {
  return ablate::test_support::rows_from(values, from, static_cast<std::size_t>(heads * width));
}
gradients rows_from(const gradients& g, const std::vector<std::int64_t>& from, int width) {
  return {rows_from(g.q, from, width), rows_from(g.k, from, width), rows_from(g.v, from, width)};
}

/// A case whose inputs on the device can be exchanged for others.
class backward_run {
 public:
  backward_run(int width, const axis_values& more)
      : width_(width),
        buffers_(
            backward().buffers(ablate::test_support::values_of(backward(), sized(width, more)), inputs())),
        run_(backward(), sized(width, more), inputs()) {}

  template <class T>
  std::vector<T> read(const std::string& name) const {
    const std::size_t at = place_of(name);
    std::vector<T> values(buffers_[at].bytes / sizeof(T));
    ABLATE_CUDA_CHECK(
        cudaMemcpy(values.data(), run_.address(at), buffers_[at].bytes, cudaMemcpyDeviceToHost));
    return values;
  }
  template <class T>
  void write(const std::string& name, const std::vector<T>& values) {
    const std::size_t at = place_of(name);
    ASSERT_EQ(sizeof(T) * values.size(), buffers_[at].bytes);
    ABLATE_CUDA_CHECK(
        cudaMemcpy(run_.address(at), values.data(), buffers_[at].bytes, cudaMemcpyHostToDevice));
  }

  /// Row r of all that the backward pass reads is row `rows[r]` of the other case's, which may be this one.
  void take(const backward_run& from, const std::vector<std::int64_t>& rows) {
    for (const char* name : {"q", "k", "v", "out_gradient", "out"})
      write(name, rows_from(from.read<std::uint16_t>(name), rows, width_));
    for (const char* name : {"lse", "plain_delta"})
      write(name, ablate::test_support::rows_from(from.read<std::uint32_t>(name), rows, 1));
  }

  /// The rows, window after window.
  std::vector<std::int64_t> row_of_token() const {
    const std::vector<std::int64_t> scattered = read<std::int64_t>("row_of_token");
    return scattered.empty() ? rows_of_buckets(read<std::uint32_t>("scope"), bucket) : scattered;
  }

  /// What a variant computes, in the rows of the problem; all that it may write is poisoned first.
  gradients of(const variant_facts& v) {
    run_.check(v);
    return {read<std::uint16_t>("q_gradient"), read<std::uint16_t>("k_gradient"),
            read<std::uint16_t>("v_gradient")};
  }
  gradients of(const std::string& name) {
    const auto& all = backward().variants;
    return of(*std::find_if(all.begin(), all.end(), [&](const variant_facts& v) { return v.name == name; }));
  }

  /// The variants that apply on this GPU.
  std::vector<variant_facts> variants() const {
    std::vector<variant_facts> found;
    for (const variant_facts& v : backward().variants)
      if (run_.applies(v)) found.push_back(v);
    return found;
  }

 private:
  std::size_t place_of(const std::string& name) const {
    return static_cast<std::size_t>(
        std::find_if(buffers_.begin(), buffers_.end(), [&](const buffer& b) { return b.name == name; }) -
        buffers_.begin());
  }

  int width_;
  std::vector<buffer> buffers_;
  ablate::test_support::variant_run run_;
};

class WindowAttentionBackwardRowsOnGpu : public ablate::test_support::gpu_test {};

constexpr int widths[] = {16, 32, 64, 128};

TEST_F(WindowAttentionBackwardRowsOnGpu, BucketsExchangedInTheInputsAndTheTableGiveTheSameRows) {
  for (const int width : widths) {
    backward_run run(width, {{"order", "shuffled"}});
    std::vector<variant_facts> variants;
    std::vector<gradients> before;
    for (const variant_facts& v : run.variants()) {
      if (!gives_the_same_bits_each_time(v)) continue;
      variants.push_back(v);
      before.push_back(run.of(v));
    }
    ASSERT_FALSE(variants.empty());
    // Place b of the exchanged tensors holds bucket held[b].
    const auto held = permutation<std::uint32_t>(tokens / bucket, "exchange");
    std::vector<std::uint32_t> scope = run.read<std::uint32_t>("scope");
    for (std::uint32_t& place : scope)
      place = static_cast<std::uint32_t>(std::find(held.begin(), held.end(), place) - held.begin());
    const std::vector<std::int64_t> rows = rows_of_buckets(held, bucket);
    run.take(run, rows);
    run.write("scope", scope);
    for (std::size_t i = 0; i < variants.size(); ++i)
      EXPECT_TRUE(run.of(variants[i]) == rows_from(before[i], rows, width))
          << variants[i].name << ", width " << width;
  }
}

TEST_F(WindowAttentionBackwardRowsOnGpu, RedirectionEqualsGatherAndScatter) {
  for (const int width : widths) {
    backward_run redirected(width, {{"order", "shuffled"}}), contiguous(width, {{"rows", "contiguous"}});
    const std::vector<std::int64_t> rows = redirected.row_of_token();
    contiguous.take(redirected, rows);
    const auto compare = [&](const char* by_table, const char* computed) {
      const gradients expected = contiguous.of(computed);
      EXPECT_TRUE(rows_from(redirected.of(by_table), rows, width) == expected)
          << by_table << ", width " << width;
      EXPECT_TRUE(contiguous.of(by_table) == expected) << by_table << ", contiguous, width " << width;
    };
    compare("mma_two_pass", "mma_contiguous");
    if (compute_capability() >= 90) compare("hopper_two_pass", "hopper_contiguous");
  }
}

TEST_F(WindowAttentionBackwardRowsOnGpu, RowsInAnyOrderEqualContiguousOnes) {
  if (compute_capability() < 90) ABLATE_LACKS("hopper", "the core is Hopper's");
  for (const int width : widths)
    for (const char* order : {"random", "scan", "z"}) {
      backward_run scattered(width, {{"rows", order}}), contiguous(width, {{"rows", "contiguous"}});
      const std::vector<std::int64_t> rows = scattered.row_of_token();
      contiguous.take(scattered, rows);
      const gradients expected = contiguous.of("hopper_contiguous");
      const std::vector<variant_facts> variants = scattered.variants();
      EXPECT_GE(variants.size(), 3u);
      for (const variant_facts& v : variants) {
        if (!gives_the_same_bits_each_time(v)) continue;
        EXPECT_TRUE(rows_from(scattered.of(v), rows, width) == expected)
            << v.name << ", " << order << ", width " << width;
      }
    }
}

TEST_F(WindowAttentionBackwardRowsOnGpu, NoNumberLeavesItsWindow) {
  constexpr std::int64_t planted_window = 2;
  constexpr std::uint16_t nan = 0x7fc0;
  for (const int width : widths)
    for (const axis_values& more : {axis_values{{"order", "shuffled"}}, axis_values{{"rows", "contiguous"}},
                                    axis_values{{"rows", "random"}}}) {
      backward_run clean(width, more), planted(width, more);
      const std::vector<std::int64_t> order = clean.row_of_token();
      // In batch 0, head 0; every gradient of the window has part in a score without a number.
      const auto plant = [&](const char* tensor, std::int64_t token) {
        std::vector<std::uint16_t> values = planted.read<std::uint16_t>(tensor);
        const std::int64_t row = order[static_cast<std::size_t>(planted_window * window + token)];
        values[static_cast<std::size_t>(row * heads * width)] = nan;
        planted.write(tensor, values);
      };
      plant("q", 77);
      plant("k", 200);
      for (const variant_facts& v : clean.variants()) {
        const gradients without = rows_from(clean.of(v), order, width),
                        with = rows_from(planted.of(v), order, width);
        std::int64_t spread = 0, missing = 0;
        for (auto gradient : {&gradients::q, &gradients::k, &gradients::v})
          for (std::size_t i = 0; i < (with.*gradient).size(); ++i) {
            const std::uint16_t seen = (with.*gradient)[i];
            // Tokens of all batches, one after the other.
            const auto head_row = static_cast<std::int64_t>(i) / width;
            const bool is_there = head_row % heads == 0 && head_row / heads / window == planted_window;
            if (is_there)
              missing += !std::isnan(float_of_bf16(seen));
            else if (gives_the_same_bits_each_time(v))
              spread += seen != (without.*gradient)[i];
            else
              spread += !std::isfinite(float_of_bf16(seen));
          }
        EXPECT_EQ(spread, 0) << v.name << ", width " << width;
        EXPECT_EQ(missing, 0) << v.name << ", width " << width;
      }
    }
}

}  // namespace
}  // namespace ablate::window_attention_backward::rows_gpu_test
