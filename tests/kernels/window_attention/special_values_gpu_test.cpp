// What is not finite, or leaves the range of fp32 with a fixed maximum, on the GPU: every variant of the
// forward pass gives what plain attention gives, and does a query tile again once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/plain_attention.h"
#include "tests/support/rows.h"

namespace ablate::window_attention::special_values_gpu_test {
namespace {

using ablate::test_support::agree;
using ablate::test_support::attention_head;
using ablate::test_support::plain_attention;
using ablate::test_support::variant_run;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// Windows that leave the last query tile of every shape unfilled, but where all have 128 queries.
struct sizes {
  std::size_t width, window = 640, windows = 2, heads = 3, batches = 2;

  std::size_t tokens() const { return windows * window; }
  std::size_t rows() const { return batches * tokens() * heads; }  ///< of all heads
  std::size_t place(std::size_t batch, std::size_t token, std::size_t head) const {
    return ((batch * tokens() + token) * heads + head) * width;
  }
};

/// [batches][tokens][heads][width], windows one after the other.
struct inputs {
  sizes size;
  std::vector<float> q, k, v;

  explicit inputs(sizes s) : size(s) {
    const auto make = [&](std::vector<float>& to, tensor of) {
      for (std::size_t i = 0; i < s.rows() * s.width; ++i)
        to.push_back(float_of_bf16(generated_element(5, of, i, 1)));
    };
    make(q, tensor::q);
    make(k, tensor::k);
    make(v, tensor::v);
  }

  /// A row of head 0 in batch 0, by its window and token.
  float* row(std::vector<float>& of, std::size_t window, std::size_t token) {
    return &of[size.place(0, window * size.window + token, 0)];
  }
  /// All rows of the tensor, whose elements become `value(token of the window, element)`.
  template <class Value>
  void fill(std::vector<float>& to, Value value) const {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = value(i / size.width / size.heads % size.window, to[i]);
  }

  attention_head head_of(std::size_t batch, std::size_t window, std::size_t head) const {
    attention_head h{size.window, size.width, {}, {}, {}};
    for (std::size_t t = 0; t < size.window; ++t) {
      const auto at = static_cast<std::ptrdiff_t>(size.place(batch, window * size.window + t, head));
      const auto width = static_cast<std::ptrdiff_t>(size.width);
      h.q.insert(h.q.end(), q.begin() + at, q.begin() + at + width);
      h.k.insert(h.k.end(), k.begin() + at, k.begin() + at + width);
      h.v.insert(h.v.end(), v.begin() + at, v.begin() + at + width);
    }
    return h;
  }
};

/// What plain attention makes of them, unchanged.
plain_attention expected_of(const inputs& in) {
  const sizes& s = in.size;
  plain_attention all;
  all.out.resize(s.rows() * s.width);
  all.magnitude.resize(s.rows() * s.width);
  all.lse.resize(s.rows());  // [batches][heads][tokens]
  for (std::size_t batch = 0; batch < s.batches; ++batch)
    for (std::size_t window = 0; window < s.windows; ++window)
      for (std::size_t head = 0; head < s.heads; ++head) {
        const plain_attention one = plainly(in.head_of(batch, window, head));
        for (std::size_t t = 0; t < s.window; ++t) {
          const std::size_t token = window * s.window + t, to = s.place(batch, token, head);
          std::copy_n(&one.out[t * s.width], s.width, &all.out[to]);
          std::copy_n(&one.magnitude[t * s.width], s.width, &all.magnitude[to]);
          all.lse[(batch * s.heads + head) * s.tokens() + token] = one.lse[t];
        }
      }
  return all;
}

/// Queries of a tile that is done again.
std::size_t listed_rows(std::size_t width) { return width <= 32 ? 256 : width == 64 ? 192 : 128; }

/// Whether the variant puts what it cannot do on the list of tiles.
bool lists_tiles(const variant_facts& v) {
  return v.switches.word("core") != "mma" && v.switches.word("core") != "mma_published" &&
         v.switches.word("softmax") != "online" && !v.switches.has("retry");
}

/// Whether scores are those of bf16 queries times 1 / √width, rounded once more.
bool rounds_scaled_queries(const variant_facts& v) {
  return v.switches.has("exponential") && v.switches.word("exponential") == "expf";
}

class WindowAttentionSpecialValuesOnGpu : public ablate::test_support::every_variant_test {
 protected:
  WindowAttentionSpecialValuesOnGpu() : every_variant_test("window_attention") {}

  /// Calls `then(variant, tiles on the list)` after each.
  using then_function = std::function<void(const variant_facts&, std::size_t)>;

  /// Every variant, wherever rows are, gives what plain attention gives. `has_large_scores`: those that are
  /// rounded to bf16 are too far off for numbers to be compared.
  void expect_as_plain(const inputs& in, bool has_large_scores = false, const then_function& then = {}) {
    const plain_attention expected = expected_of(in);
    for (const axis_values& where :
         {axis_values{{"rows", "contiguous"}}, axis_values{{"rows", "contiguous"}, {"qkv", "packed"}},
          axis_values{{"rows", "buckets"}, {"order", "shuffled"}}, axis_values{{"rows", "random"}}})
      expect_as_plain(in, where, expected, has_large_scores, then);
  }

 private:
  void expect_as_plain(const inputs& in, const axis_values& where, const plain_attention& expected,
                       bool has_large_scores, const then_function& then) {
    const sizes& s = in.size;
    axis_values given = where;
    given.set("bucket", "128");
    for (const auto& [name, value] : {std::pair{"tokens", s.tokens()},
                                      {"window", s.window},
                                      {"heads", s.heads},
                                      {"width", s.width},
                                      {"batches", s.batches}})
      given.set(name, std::to_string(value));
    variant_run run(tested(), given, inputs_);
    const std::vector<std::int64_t> scattered = run.contents<std::int64_t>("row_of_token");
    const std::vector<std::int64_t> rows =
        scattered.empty() ? test_support::rows_of_buckets(run.contents<std::uint32_t>("scope"), 128)
                          : scattered;
    put(run, in, rows, !run.contents<std::uint16_t>("qkv").empty());
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      SCOPED_TRACE(v.name + ", rows " + given.word("rows") + ", width " + std::to_string(s.width));
      run.check(v);  // for what it leaves; what it says is of other inputs
      const float of_values = has_large_scores && rounds_scaled_queries(v) ? infinity : 1.0f / 32;
      compare(run, s, rows, expected, of_values);
      if (!then) continue;
      const std::size_t norms = s.batches * s.heads * s.tokens() / 128;
      then(v, lists_tiles(v) ? run.contents<std::uint32_t>("scratch").at(norms) : 0);
    }
  }

  /// Token t of the inputs to row `rows[t]`.
  static void put(const variant_run& run, const inputs& in, const std::vector<std::int64_t>& rows,
                  bool packed) {
    const sizes& s = in.size;
    const std::size_t row = s.heads * s.width;
    std::vector<std::uint16_t> all(3 * s.rows() * s.width);
    const std::vector<float>* const tensors[] = {&in.q, &in.k, &in.v};
    for (std::size_t which = 0; which < 3; ++which)
      for (std::size_t i = 0; i < s.batches * s.tokens(); ++i) {
        const std::size_t to = i / s.tokens() * s.tokens() + static_cast<std::size_t>(rows[i % s.tokens()]);
        const std::size_t at = packed ? (3 * to + which) * row : (which * s.batches * s.tokens() + to) * row;
        for (std::size_t e = 0; e < row; ++e) all[at + e] = bf16_with_nan((*tensors[which])[i * row + e]);
      }
    if (packed) return run.put("qkv", all);
    const auto third = static_cast<std::ptrdiff_t>(all.size() / 3);
    run.put("q", std::vector(all.begin(), all.begin() + third));
    run.put("k", std::vector(all.begin() + third, all.begin() + 2 * third));
    run.put("v", std::vector(all.begin() + 2 * third, all.end()));
  }

  /// bf16_of is of finite numbers; an infinity it leaves one.
  static std::uint16_t bf16_with_nan(float value) { return std::isnan(value) ? 0x7fc0 : bf16_of(value); }

  static void compare(const variant_run& run, const sizes& s, const std::vector<std::int64_t>& rows,
                      const plain_attention& expected, float of_values) {
    const auto out = run.contents<std::uint16_t>("out");
    const auto lse = run.contents<float>("lse");
    std::size_t wrong = 0;
    const auto count = [&](float seen, float right, float apart, const char* what, std::size_t at) {
      if (agree(seen, right, apart)) return;
      if (wrong++ == 0)
        ADD_FAILURE() << what << " of batch " << at / s.heads / s.tokens() << ": " << seen << " instead of "
                      << right << ", place " << at;
    };
    for (std::size_t i = 0; i < s.rows() * s.width; ++i) {
      const std::size_t row = s.heads * s.width, token = i / row;
      const std::size_t to =
          token / s.tokens() * s.tokens() + static_cast<std::size_t>(rows[token % s.tokens()]);
      count(float_of_bf16(out[to * row + i % row]), expected.out[i], of_values * expected.magnitude[i],
            "output", i / s.width);
    }
    for (std::size_t i = 0; i < s.rows(); ++i) {
      const std::size_t to = i / s.tokens() * s.tokens() + static_cast<std::size_t>(rows[i % s.tokens()]);
      count(lse[to], expected.lse[i], of_values, "log-sum-exp", i);
    }
    EXPECT_EQ(wrong, 0u);
  }
};

constexpr std::size_t widths[] = {16, 32, 64, 128};

TEST_F(WindowAttentionSpecialValuesOnGpu, OneKeyThatIsNotFinite) {
  for (const std::size_t width : widths)
    for (const float planted : {nan_value, infinity, -infinity}) {
      inputs in({width});
      in.row(in.k, 0, 0)[1] = planted;
      in.row(in.k, 1, 517)[width - 1] = planted;
      expect_as_plain(in);
    }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, NaNInAnyOf32Keys) {
  // Of so many a polynomial computes the exponentials of some, which differ from variant to variant.
  for (const std::size_t width : {std::size_t{16}, std::size_t{32}}) {
    inputs in({width, 640, 32, 1, 1});
    for (std::size_t window = 0; window < 32; ++window) in.row(in.k, window, 128 + 3 * window)[0] = nan_value;
    expect_as_plain(in);
  }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, QueriesThatAreNotFinite) {
  for (const std::size_t width : widths) {
    inputs in({width});
    in.row(in.q, 0, 3)[0] = nan_value;
    in.row(in.q, 0, 300)[2] = infinity;
    in.row(in.q, 1, 639)[width - 1] = -infinity;
    expect_as_plain(in);
  }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, ValuesThatAreNotFinite) {
  for (const std::size_t width : widths) {
    inputs in({width});
    in.row(in.v, 0, 5)[0] = nan_value;
    in.row(in.v, 0, 400)[1] = infinity;
    in.row(in.v, 1, 639)[width - 1] = -infinity;
    in.row(in.v, 1, 7)[2] = infinity;
    in.row(in.v, 1, 8)[2] = -infinity;
    expect_as_plain(in);
  }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, KeysWithScoresOfMinusInfinity) {
  for (const std::size_t width : widths) {
    inputs in({width});
    for (std::size_t window = 0; window < 2; ++window)
      for (std::size_t t = 0; t < in.size.window; ++t) {
        in.row(in.q, window, t)[0] = 1;
        // All that the first tile of any variant has; in the other window all keys, which leaves no number.
        if (window == 1 || t < 128) in.row(in.k, window, t)[0] = -infinity;
      }
    expect_as_plain(in);
  }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, AKeyWithoutWeightAddsNothingHoweverLargeItsValue) {
  for (const std::size_t width : widths) {
    inputs in({width});
    for (std::size_t t = 0; t < in.size.window; ++t) in.row(in.q, 0, t)[0] = 1;
    in.row(in.k, 0, 200)[0] = -infinity;
    for (std::size_t e = 0; e < width; ++e) in.row(in.v, 0, 200)[e] = float_of_bf16(bf16_of(3e38f));
    expect_as_plain(in);
  }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, ScoresOfOneQueryThatOverflow) {
  for (const std::size_t width : widths) {
    inputs in({width});
    in.row(in.q, 0, 130)[0] = float_of_bf16(bf16_of(3e38f));
    in.row(in.k, 0, 300)[0] = 64;
    expect_as_plain(in, true);
  }
}

/// Queries that an odd block of 128 of their window has score all keys after the first 128, which are zeros,
/// `powers_of_2` above these; other queries score zero.
void raise_scores(inputs& in, float powers_of_2, bool of_all_queries) {
  const auto size = static_cast<float>(in.size.width);
  const float query = float_of_bf16(bf16_of(powers_of_2 * 0.693147f / std::sqrt(size)));
  in.fill(in.k, [](std::size_t token, float) { return token < 128 ? 0.0f : 1.0f; });
  in.fill(in.q,
          [&](std::size_t token, float) { return of_all_queries || token / 128 % 2 == 1 ? query : 0.0f; });
}

/// Tiles with at least one of those queries.
std::size_t raised_tiles(const sizes& s, bool of_all_queries) {
  std::set<std::size_t> tiles;
  for (std::size_t token = 0; token < s.window; ++token)
    if (of_all_queries || token / 128 % 2 == 1) tiles.insert(token / listed_rows(s.width));
  return tiles.size() * s.windows * s.heads * s.batches;
}

TEST_F(WindowAttentionSpecialValuesOnGpu, OutputsThatOverflowBeforeTheirSumsAreDoneAgainOnce) {
  for (const std::size_t width : widths)
    for (const bool all : {false, true}) {
      inputs in({width});
      // 2^60 in the sums, which are right; 2^150 in the outputs.
      raise_scores(in, 60, all);
      in.fill(in.v, [](std::size_t, float v) { return v * 0x1p90f; });
      expect_as_plain(in, true, [&](const variant_facts& v, std::size_t listed) {
        if (lists_tiles(v)) {
          EXPECT_EQ(listed, raised_tiles(in.size, all));
        }
      });
    }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, SumsThatOverflowAreDoneAgainOnce) {
  for (const std::size_t width : widths)
    for (const bool all : {false, true}) {
      inputs in({width});
      raise_scores(in, 200, all);
      expect_as_plain(in, true, [&](const variant_facts& v, std::size_t listed) {
        // Where norms bound scores, these are not.
        if (lists_tiles(v)) {
          EXPECT_EQ(listed, v.switches.word("softmax") == "bounded" ? 0 : raised_tiles(in.size, all));
        }
      });
    }
}

TEST_F(WindowAttentionSpecialValuesOnGpu, LongWindowsThatOverflowAreDoneAgainOnce) {
  // Another shape of a block, at 64 elements a head.
  inputs in({64, 2176, 1, 1, 1});
  raise_scores(in, 200, false);
  expect_as_plain(in, true, [&](const variant_facts& v, std::size_t listed) {
    if (lists_tiles(v) && v.switches.word("softmax") == "fixed_max") {
      EXPECT_EQ(listed, raised_tiles(in.size, false));
    }
  });
}

TEST_F(WindowAttentionSpecialValuesOnGpu, NothingIsDoneAgainWithoutNeed) {
  for (const std::size_t width : widths)
    expect_as_plain(inputs({width}), false,
                    [](const variant_facts&, std::size_t listed) { EXPECT_EQ(listed, 0u); });
}

}  // namespace
}  // namespace ablate::window_attention::special_values_gpu_test
