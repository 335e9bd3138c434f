// Ways to find rows, on the GPU: the same core gives the same bits wherever the rows are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "harness/device/cuda_memory.cuh"
#include "kernels/common/launcher.h"
#include "kernels/common/poison.h"
#include "kernels/common/switches.h"
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/window_attention.h"
#include "oracles/window_attention/checked_problem.h"
#include "oracles/window_attention/launches.h"
#include "oracles/window_attention/scattered_rows.h"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"
#include "tests/support/rows.h"

namespace ablate::window_attention {

namespace rows_gpu_test {
namespace {

using ablate::test_support::permutation;

/// A variant: what computes it, and what its function reads.
struct form {
  void (*launch)(launcher&, const problem&, const switches&);
  switches stated;
};

const switches of_core = {{"rows", "bucket_table"}, {"softmax", "online"}, {"groups", "all"},
                          {"stages", "all"},        {"overlap", "wide"},   {"pingpong", "off"},
                          {"exp2", "hardware"}};
const switches by_elements =
    of_core.with({{"rows", "contiguous"}, {"index", "int64"}, {"vector", "2B"}, {"launches", "per_tensor"}});
const form hopper_online = {hopper, of_core},
           hopper_bounded = {hopper, of_core.with({{"softmax", "bounded"}})},
           hopper_contiguous = {hopper, of_core.with({{"rows", "contiguous"}})},
           split_first = {hopper_split_qkv, of_core}, indexed = {hopper_indexed, of_core},
           sorted = {hopper_sorted, of_core}, gathered = {hopper_gathered, by_elements},
           gathered_vectorized = {
               hopper_gathered,
               by_elements.with({{"index", "int32"}, {"vector", "16B"}, {"launches", "joined"}})};

/// Every way in which rows are gathered.
std::vector<form> all_gathered() {
  std::vector<form> out;
  for (const char* index : {"int32", "int64"})
    for (const char* vector : {"2B", "16B"})
      out.push_back({hopper_gathered, by_elements.with({{"index", index}, {"vector", vector}})});
  out.push_back(gathered_vectorized);
  out.push_back({hopper_gathered, gathered_vectorized.stated.with({{"index", "int64"}})});
  return out;
}

using checking_function = void (*)(launcher&, const checked_problem&, const switches&);

/// Sizes that leave the last query tile of each window unfilled.
problem sizes(int width) {
  problem p;
  p.batches = 2;
  p.tokens = 1536;
  p.heads = 3;
  p.width = width;
  p.window = 384;
  p.bucket = 128;
  return p;
}

/// bf16 [batches][tokens][heads][width] each, in host memory.
struct tensors {
  std::vector<std::uint16_t> q, k, v;
};

tensors random_tensors(const problem& p, float spread) {
  tensors t;
  const auto make = [&](std::vector<std::uint16_t>& to, tensor of, float deviation) {
    for (std::int64_t i = 0; i < p.elements(); ++i)
      to.push_back(generated_element(7, of, static_cast<std::uint64_t>(i), deviation));
  };
  make(t.q, tensor::q, spread);
  make(t.k, tensor::k, spread);
  make(t.v, tensor::v, 1);
  return t;
}

/// Row r of the result is row `from[r]` of the tensor, in each batch.
std::vector<std::uint16_t> rows_from(const problem& p, const std::vector<std::uint16_t>& tensor,
                                     const std::vector<std::int64_t>& from) {
  return ablate::test_support::rows_from(tensor, from, static_cast<std::size_t>(p.heads * p.width));
}

tensors rows_from(const problem& p, const tensors& t, const std::vector<std::int64_t>& from) {
  return {rows_from(p, t.q, from), rows_from(p, t.k, from), rows_from(p, t.v, from)};
}

/// Outputs in the rows of the problem: bf16 [batches][tokens][heads][width], and the bits of [batches][heads]
/// [tokens].
struct outputs {
  std::vector<std::uint16_t> out;
  std::vector<std::uint32_t> lse;
  bool operator==(const outputs&) const = default;
};

outputs rows_from(const problem& p, const outputs& o, const std::vector<std::int64_t>& from) {
  return {rows_from(p, o.out, from), ablate::test_support::rows_from(o.lse, from, 1)};
}

float lse_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// What a variant computes; all that it may write is poisoned first.
class attention_run {
 public:
  explicit attention_run(const problem& shape) : problem_{shape} {}

  attention_run& with(const tensors& t) {
    const auto row = static_cast<std::size_t>(problem_.heads * problem_.width);
    if (problem_.layout == qkv_layout::split) {
      problem_.q = copied(t.q);
      problem_.k = copied(t.k);
      problem_.v = copied(t.v);
    } else {
      std::vector<std::uint16_t> packed;
      for (std::size_t i = 0; i < t.q.size(); i += row)
        for (const auto* tensor : {&t.q, &t.k, &t.v})
          packed.insert(packed.end(), tensor->begin() + static_cast<std::ptrdiff_t>(i),
                        tensor->begin() + static_cast<std::ptrdiff_t>(i + row));
      problem_.q = copied(packed);
      problem_.k = problem_.q + row;
      problem_.v = problem_.q + 2 * row;
    }
    return *this;
  }
  attention_run& in_buckets(const std::vector<std::uint32_t>& scope) {
    problem_.scope = copied(scope);
    return *this;
  }
  /// Rows sorted by `keys`, a number for each row.
  attention_run& scattered(const std::vector<std::uint64_t>& row_keys) {
    std::vector<std::uint32_t> identity(static_cast<std::size_t>(problem_.tokens / problem_.bucket));
    std::iota(identity.begin(), identity.end(), 0u);
    in_buckets(identity);
    const scattered_rows rows(row_keys);
    problem_.wide = {copied(rows.row_of_token), copied(rows.token_of_row)};
    problem_.narrow = {copied(rows.narrow_row_of_token), copied(rows.narrow_token_of_row)};
    problem_.keys = copied(row_keys);
    return *this;
  }

  /// Rows that `hopper_sorted` left in its own order come back to where they belong with its comparison.
  outputs of(const form& variant) {
    const checking_function compare = variant.launch == hopper_sorted ? compare_sorted : compare_with_plain;
    const auto elements = static_cast<std::size_t>(problem_.elements());
    const std::size_t rows = elements / static_cast<std::size_t>(problem_.width);
    problem_.out = static_cast<std::uint16_t*>(poisoned(2 * elements));
    problem_.lse = static_cast<float*>(poisoned(4 * rows));
    problem_.scratch = poisoned(scratch_bytes(problem_));
    problem_.moved = poisoned(moved_rows_bytes(problem_));
    problem_.found = static_cast<deviations*>(poisoned(sizeof(deviations)));
    problem_.reference = poisoned(reference_bytes(problem_));  // what is not zero counts as computed
    problem_.first = phase::order;
    problem_.last = phase::attend;
    cudaDeviceProp device{};
    ABLATE_CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    launcher to(nullptr, {device.multiProcessorCount, device.sharedMemPerBlockOptin});
    variant.launch(to, problem_, variant.stated);
    compare(to, problem_, {});
    ABLATE_CUDA_CHECK(cudaDeviceSynchronize());
    outputs result{std::vector<std::uint16_t>(elements), std::vector<std::uint32_t>(rows)};
    ABLATE_CUDA_CHECK(cudaMemcpy(result.out.data(), problem_.out, 2 * elements, cudaMemcpyDeviceToHost));
    ABLATE_CUDA_CHECK(cudaMemcpy(result.lse.data(), problem_.lse, 4 * rows, cudaMemcpyDeviceToHost));
    return result;
  }

 private:
  template <class T>
  const T* copied(const std::vector<T>& values) {
    void* const at = memory_.emplace_back(sizeof(T) * values.size()).address();
    ABLATE_CUDA_CHECK(cudaMemcpy(at, values.data(), sizeof(T) * values.size(), cudaMemcpyHostToDevice));
    return static_cast<const T*>(at);
  }
  void* poisoned(std::size_t bytes) {
    void* const at = memory_.emplace_back(bytes).address();
    ABLATE_CUDA_CHECK(cudaMemset(at, poison_byte, bytes));
    return at;
  }

  checked_problem problem_;
  std::vector<device_memory> memory_;
};

class WindowAttentionRowsOnGpu : public ablate::test_support::gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (!IsSkipped() && compute_capability() < 90) ABLATE_LACKS("hopper", "the cores are Hopper's");
  }
};

/// The rows of buckets, window after window.
std::vector<std::int64_t> rows_of(const problem& p, const std::vector<std::uint32_t>& scope) {
  return ablate::test_support::rows_of_buckets(scope, p.bucket);
}

/// Keys that bring rows into this order.
std::vector<std::uint64_t> keys_for(const std::vector<std::int64_t>& row_of_token) {
  std::vector<std::uint64_t> keys(row_of_token.size());
  for (std::size_t token = 0; token < keys.size(); ++token)
    keys[static_cast<std::size_t>(row_of_token[token])] = 5 * token + 1;
  return keys;
}

constexpr int widths[] = {16, 32, 64, 128};

TEST_F(WindowAttentionRowsOnGpu, BucketsExchangedInTheInputsAndTheTableGiveTheSameRows) {
  for (const int width : widths) {
    SCOPED_TRACE(width);
    const problem p = sizes(width);
    const auto buckets = static_cast<std::size_t>(p.tokens / p.bucket);
    const tensors t = random_tensors(p, 1);
    const auto scope = permutation<std::uint32_t>(buckets, "scope");
    // Place b of the exchanged tensors holds bucket held[b].
    const auto held = permutation<std::uint32_t>(buckets, "exchange");
    std::vector<std::uint32_t> exchanged;
    for (const std::uint32_t bucket : scope)
      exchanged.push_back(
          static_cast<std::uint32_t>(std::find(held.begin(), held.end(), bucket) - held.begin()));
    const std::vector<std::int64_t> rows = rows_of(p, held);
    for (const form& variant : {hopper_online, hopper_bounded}) {
      const outputs there = attention_run(p).with(t).in_buckets(scope).of(variant);
      const outputs here = attention_run(p).with(rows_from(p, t, rows)).in_buckets(exchanged).of(variant);
      EXPECT_TRUE(here == rows_from(p, there, rows));
    }
  }
}

TEST_F(WindowAttentionRowsOnGpu, RedirectionEqualsGatherAndScatter) {
  for (const int width : widths)
    for (const qkv_layout layout : {qkv_layout::split, qkv_layout::packed}) {
      SCOPED_TRACE(std::to_string(width) + (layout == qkv_layout::packed ? ", packed" : ", split"));
      problem p = sizes(width);
      p.layout = layout;
      const tensors t = random_tensors(p, 1);
      const auto scope =
          permutation<std::uint32_t>(static_cast<std::size_t>(p.tokens / p.bucket), "bucket_table");
      const outputs redirected = attention_run(p).with(t).in_buckets(scope).of(hopper_online);
      if (layout == qkv_layout::packed) {
        EXPECT_TRUE(attention_run(p).with(t).in_buckets(scope).of(split_first) == redirected);
      }
      p.rows = row_order::scattered;
      attention_run scattered(p);
      scattered.with(t).scattered(keys_for(rows_of(p, scope)));
      for (const form& variant : all_gathered()) EXPECT_TRUE(scattered.of(variant) == redirected);
      EXPECT_TRUE(scattered.of(indexed) == redirected);
      EXPECT_TRUE(scattered.of(sorted) == redirected);
    }
}

TEST_F(WindowAttentionRowsOnGpu, RowsInAnyOrderEqualContiguousOnes) {
  for (const int width : widths)
    for (const qkv_layout layout : {qkv_layout::split, qkv_layout::packed})
      for (const std::int64_t window : {128, 384, 768}) {
        SCOPED_TRACE(std::to_string(width) + ", window " + std::to_string(window) +
                     (layout == qkv_layout::packed ? ", packed" : ", split"));
        problem p = sizes(width);
        p.layout = layout;
        p.window = window;
        const tensors t = random_tensors(p, 1);
        const auto row_of_token = permutation<std::int64_t>(static_cast<std::size_t>(p.tokens), "any order");
        std::vector<std::uint32_t> identity(static_cast<std::size_t>(p.tokens / p.bucket));
        std::iota(identity.begin(), identity.end(), 0u);

        p.rows = row_order::contiguous;
        attention_run contiguous(p);
        contiguous.with(rows_from(p, t, row_of_token)).in_buckets(identity);
        const outputs by_token = contiguous.of(hopper_contiguous);
        EXPECT_TRUE(contiguous.of(hopper_online) == by_token);

        p.rows = row_order::scattered;
        attention_run scattered(p);
        scattered.with(t).scattered(keys_for(row_of_token));
        for (const form& variant : {gathered, gathered_vectorized, indexed, sorted})
          EXPECT_TRUE(rows_from(p, scattered.of(variant), row_of_token) == by_token);
      }
}

TEST_F(WindowAttentionRowsOnGpu, NoNumberLeavesItsWindow) {
  for (const int width : widths) {
    problem p = sizes(width);
    const tensors t = random_tensors(p, 1);
    const auto row_of_token = permutation<std::int64_t>(static_cast<std::size_t>(p.tokens), "isolated");
    const auto scope = permutation<std::uint32_t>(static_cast<std::size_t>(p.tokens / p.bucket), "isolated");
    constexpr std::int64_t planted_window = 2, planted_token = 200;
    constexpr std::uint16_t nan = 0x7fc0;
    for (const form& variant : {hopper_online, hopper_bounded, gathered_vectorized, indexed, sorted}) {
      const bool in_buckets = variant.launch == hopper;
      SCOPED_TRACE(std::to_string(width) + (in_buckets ? ", buckets" : ", scattered"));
      p.rows = in_buckets ? row_order::buckets : row_order::scattered;
      const std::vector<std::int64_t> order = in_buckets ? rows_of(p, scope) : row_of_token;
      const auto outputs_of = [&](const tensors& from) {
        attention_run run(p);
        run.with(from);
        if (in_buckets)
          run.in_buckets(scope);
        else
          run.scattered(keys_for(order));
        return rows_from(p, run.of(variant), order);
      };
      // In batch 0, head 0.
      tensors planted = t;
      planted
          .k[static_cast<std::size_t>(order[planted_window * p.window + planted_token] * p.heads * p.width)] =
          nan;
      const outputs clean = outputs_of(t), seen = outputs_of(planted);
      std::int64_t spread = 0, missing = 0;
      for (std::size_t i = 0; i < clean.out.size(); ++i) {
        const auto head_row = static_cast<std::int64_t>(i) / p.width;
        const bool is_there = head_row % p.heads == 0 && head_row / p.heads / p.window == planted_window;
        if (is_there)
          missing += !std::isnan(float_of_bf16(seen.out[i]));
        else
          spread += seen.out[i] != clean.out[i];
      }
      for (std::size_t i = 0; i < clean.lse.size(); ++i)
        if (static_cast<std::int64_t>(i) / p.window != planted_window) spread += seen.lse[i] != clean.lse[i];
      EXPECT_EQ(spread, 0);
      EXPECT_EQ(missing, 0);
    }
  }
}

TEST_F(WindowAttentionRowsOnGpu, WithoutScoresOutputsAreTheMeanOfTheValues) {
  for (const int width : widths) {
    problem p = sizes(width);
    const tensors t = random_tensors(p, 0);
    const auto row_of_token = permutation<std::int64_t>(static_cast<std::size_t>(p.tokens), "mean");
    const auto scope = permutation<std::uint32_t>(static_cast<std::size_t>(p.tokens / p.bucket), "mean");
    for (const form& variant : {hopper_online, hopper_bounded, gathered, indexed}) {
      const bool in_buckets = variant.launch == hopper;
      SCOPED_TRACE(std::to_string(width) + (in_buckets ? ", buckets" : ", scattered"));
      p.rows = in_buckets ? row_order::buckets : row_order::scattered;
      const std::vector<std::int64_t> order = in_buckets ? rows_of(p, scope) : row_of_token;
      attention_run run(p);
      run.with(t);
      if (in_buckets)
        run.in_buckets(scope);
      else
        run.scattered(keys_for(order));
      const outputs seen = rows_from(p, run.of(variant), order);
      const std::vector<std::uint16_t> values = rows_from(p, t.v, order);
      const auto row = static_cast<std::size_t>(p.heads * p.width),
                 window = static_cast<std::size_t>(p.window);
      double most = 0, max_lse = 0;
      for (std::size_t first = 0; first < values.size(); first += window * row)
        for (std::size_t element = 0; element < row; ++element) {
          double mean = 0;
          for (std::size_t token = 0; token < window; ++token)
            mean += float_of_bf16(values[first + token * row + element]);
          mean /= static_cast<double>(window);
          for (std::size_t token = 0; token < window; ++token) {
            const double apart = std::fabs(float_of_bf16(seen.out[first + token * row + element]) - mean) -
                                 std::fabs(mean) / 256;
            if (!(apart <= most)) most = apart;
          }
        }
      for (const std::uint32_t bits : seen.lse) {
        const double apart = std::fabs(lse_of(bits) - std::log(static_cast<double>(window)));
        if (!(apart <= max_lse)) max_lse = apart;
      }
      EXPECT_LE(most, 1e-5);
      EXPECT_LE(max_lse, 1e-5);
    }
  }
}

}  // namespace
}  // namespace rows_gpu_test
}  // namespace ablate::window_attention
