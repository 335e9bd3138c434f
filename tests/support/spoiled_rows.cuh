#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/variant_run.cuh"

namespace ablate::test_support {

struct row_place {
  std::size_t batch, row, head;

  std::string text() const {
    return "batch " + std::to_string(batch) + ", row " + std::to_string(row) + ", head " +
           std::to_string(head);
  }
};

/// A tensor of bf16 [batches][tokens][heads][width].
struct tensor_shape {
  std::size_t tokens, heads, width;
};

/// Spoils one row of an output on the device after the other, in several ways each: in the first and last
/// row, head and batch and between. Expects that the check of the current outputs names the row each
/// time, and finds nothing once the row is as it was.
inline void expect_spoiled_rows_found(variant_run& run, const variant_facts& variant, const char* tensor,
                                      const tensor_shape& shape) {
  using window_attention::bf16_of, window_attention::float_of_bf16;
  using row = std::vector<float>;
  const auto times = [](float factor) {
    return [factor](row& values) {
      for (float& x : values) x *= factor;
    };
  };
  const auto put = [](float value) { return [value](row& values) { values.back() = value; }; };
  std::vector<std::pair<std::string, std::function<void(row&)>>> faults = {
      {"times 1.5", times(1.5f)},
      {"negated", times(-1)},
      {"one element off by 10 % of the norm",
       [](row& values) {
         double squared = 0;
         for (const float x : values) squared += x * x;
         values.front() += 0.1f * static_cast<float>(std::sqrt(squared));
       }},
      {"NaN", put(std::nanf(""))},
      {"infinity", put(INFINITY)}};
  // The norm of a row of few elements may be far less than what its terms were rounded by.
  if (shape.width >= 64) faults.emplace_back("times 1.02", times(1.02f));

  const auto right = run.contents<std::uint16_t>(tensor);
  const std::size_t batches = right.size() / (shape.tokens * shape.heads * shape.width);
  for (const row_place& at :
       {row_place{0, 0, 0}, row_place{0, shape.tokens - 1, shape.heads - 1},
        row_place{batches - 1, 0, shape.heads - 1}, row_place{batches - 1, shape.tokens / 3, shape.heads / 2},
        row_place{batches - 1, shape.tokens - 1, shape.heads - 1}})
    for (const auto& [name, spoil] : faults) {
      auto spoiled = right;
      const auto first =
          spoiled.begin() + static_cast<std::ptrdiff_t>(
                                ((at.batch * shape.tokens + at.row) * shape.heads + at.head) * shape.width);
      const auto last = first + static_cast<std::ptrdiff_t>(shape.width);
      row values(shape.width);
      std::transform(first, last, values.begin(), float_of_bf16);
      spoil(values);
      // bf16_of takes finite numbers; a NaN or an infinity is cut off as it is.
      std::transform(values.begin(), values.end(), first, [](float x) {
        return std::isfinite(x) ? bf16_of(x) : static_cast<std::uint16_t>(std::isnan(x) ? 0x7fc0 : 0x7f80);
      });
      run.put(tensor, spoiled);
      const check_result found = run.check_outputs(variant);
      EXPECT_FALSE(found.ok) << tensor << ", " << at.text() << ": " << name;
      EXPECT_NE(found.message.find(at.text()), std::string::npos) << name << ": " << found.message;
      EXPECT_GT(found.max_error, found.accepted_error) << name;
    }
  run.put(tensor, right);
  const check_result again = run.check_outputs(variant);
  EXPECT_TRUE(again.ok) << again.message;
}

}  // namespace ablate::test_support
