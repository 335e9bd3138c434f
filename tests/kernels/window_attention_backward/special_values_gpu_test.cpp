// What is not finite in the inputs of the backward pass, on the GPU: it reaches the gradients of every
// variant as it reaches those of the textbook's formulas in fp32, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "oracles/common/generated_element.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/plain_attention.h"
#include "tests/support/rows.h"

namespace ablate::window_attention_backward::special_values_gpu_test {
namespace {

using ablate::test_support::attention_head;
using ablate::test_support::plain_attention;
using ablate::test_support::row_times;
using ablate::test_support::transposed;
using ablate::test_support::variant_run;
using window_attention::bf16_of;
using window_attention::float_of_bf16;
using window_attention::tensor;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// bf16_of is of finite numbers; an infinity it leaves one.
std::uint16_t bf16_with_nan(float value) { return std::isnan(value) ? 0x7fc0 : bf16_of(value); }

/// [tokens][heads][width] each, windows one after the other, of one batch.
constexpr std::size_t window = 256, tokens = 2 * window, heads = 2;

struct inputs {
  std::size_t width;
  std::vector<float> q, k, v, out_gradient;

  explicit inputs(std::size_t w) : width(w) {
    const auto make = [&](std::vector<float>& to, tensor of) {
      for (std::size_t i = 0; i < tokens * heads * width; ++i)
        to.push_back(float_of_bf16(window_attention::generated_element(9, of, i, 1)));
    };
    make(q, tensor::q);
    make(k, tensor::k);
    make(v, tensor::v);
    make(out_gradient, tensor::out_gradient);
  }

  /// A row of head 0 in window 0.
  float* row(std::vector<float>& of, std::size_t token) const { return &of[token * heads * width]; }
};

/// One tensor of a head and window, [window][width].
std::vector<float> head_of(const inputs& in, const std::vector<float>& of, std::size_t first,
                           std::size_t head) {
  std::vector<float> rows;
  for (std::size_t t = 0; t < window; ++t) {
    const auto at = static_cast<std::ptrdiff_t>(((first + t) * heads + head) * in.width);
    rows.insert(rows.end(), of.begin() + at, of.begin() + at + static_cast<std::ptrdiff_t>(in.width));
  }
  return rows;
}
void put_head(const inputs& in, const std::vector<float>& rows, std::size_t first, std::size_t head,
              std::vector<float>& to) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    to[((first + i / in.width) * heads + head) * in.width + i % in.width] = rows[i];
}

/// A gradient, and what its rounding errors go by: the same sums of magnitudes.
struct gradient {
  std::vector<float> value, magnitude;
};

struct expectation {
  std::vector<float> out, lse, delta;  ///< what the forward pass leaves; out rounded to bf16
  gradient of[3];                      ///< dQ, dK, dV
};

/// [count][width] += the product of a row's factors, one for each row of the result, with a row.
void add_outer(std::vector<float>& to, const std::vector<float>& factors, const float* row,
               std::size_t width) {
  for (std::size_t i = 0; i < factors.size(); ++i)
    for (std::size_t d = 0; d < width; ++d) to[i * width + d] += factors[i] * row[d];
}

std::vector<float> magnitudes(std::vector<float> values) {
  for (float& x : values) x = std::fabs(x);
  return values;
}

/// P = exp(c·Q·Kᵀ − lse), Δ = Σ dO∘O, dS = P∘(dO·Vᵀ − Δ), dV = Pᵀ·dO, dQ = c·dS·K, dK = c·dSᵀ·Q.
expectation expected_of(const inputs& in) {
  expectation all;
  const std::size_t size = tokens * heads * in.width, width = in.width;
  all.out.resize(size);
  all.lse.resize(heads * tokens);
  all.delta.resize(heads * tokens);
  for (gradient& g : all.of) g = {std::vector<float>(size), std::vector<float>(size)};
  for (std::size_t first = 0; first < tokens; first += window)
    for (std::size_t head = 0; head < heads; ++head) {
      const attention_head h{window, width, head_of(in, in.q, first, head), head_of(in, in.k, first, head),
                             head_of(in, in.v, first, head)};
      const std::vector<float> out_gradient = head_of(in, in.out_gradient, first, head);
      plain_attention forward = plainly(h);
      for (float& o : forward.out) o = float_of_bf16(bf16_with_nan(o));
      const std::vector<float> keys = transposed(h.k, width), values = transposed(h.v, width);
      gradient found[3];
      for (gradient& g : found) g = {std::vector<float>(window * width), std::vector<float>(window * width)};
      for (std::size_t i = 0; i < window; ++i) {
        const float *const q = &h.q[i * width], *const from = &out_gradient[i * width];
        float delta = 0;
        for (std::size_t d = 0; d < width; ++d) delta += from[d] * forward.out[i * width + d];
        std::vector<float> p = row_times(q, keys, width), ds = row_times(from, values, width), large(window);
        for (std::size_t j = 0; j < window; ++j) {
          p[j] = std::exp(p[j] * h.scale() - forward.lse[i]);
          large[j] = h.scale() * p[j] * (std::fabs(ds[j]) + std::fabs(delta));
          ds[j] = h.scale() * (p[j] * (ds[j] - delta));
        }
        const std::vector<float> of_q = row_times(ds.data(), h.k, window),
                                 large_of_q = row_times(large.data(), magnitudes(h.k), window);
        std::copy_n(of_q.begin(), width, &found[0].value[i * width]);
        std::copy_n(large_of_q.begin(), width, &found[0].magnitude[i * width]);
        const std::vector<float> large_q = magnitudes({q, q + width}),
                                 large_from = magnitudes({from, from + width});
        add_outer(found[1].value, ds, q, width);
        add_outer(found[1].magnitude, large, large_q.data(), width);
        add_outer(found[2].value, p, from, width);
        add_outer(found[2].magnitude, p, large_from.data(), width);
        all.lse[head * tokens + first + i] = forward.lse[i];
        all.delta[head * tokens + first + i] = delta;
      }
      put_head(in, forward.out, first, head, all.out);
      for (std::size_t which = 0; which < 3; ++which) {
        put_head(in, found[which].value, first, head, all.of[which].value);
        put_head(in, found[which].magnitude, first, head, all.of[which].magnitude);
      }
    }
  return all;
}

class WindowAttentionBackwardSpecialValuesOnGpu : public ablate::test_support::every_variant_test {
 protected:
  WindowAttentionBackwardSpecialValuesOnGpu() : every_variant_test("window_attention_backward") {}

  void expect_as_plain(const inputs& in) {
    const expectation expected = expected_of(in);
    for (const axis_values& where :
         {axis_values{{"rows", "contiguous"}}, axis_values{{"rows", "buckets"}, {"order", "shuffled"}},
          axis_values{{"rows", "random"}}})
      expect_as_plain(in, where, expected);
  }

 private:
  void expect_as_plain(const inputs& in, const axis_values& where, const expectation& expected) {
    axis_values given = where;
    given.set("bucket", "128");
    given.set("tokens", std::to_string(tokens));
    given.set("window", std::to_string(window));
    given.set("heads", std::to_string(heads));
    given.set("width", std::to_string(in.width));
    variant_run run(tested(), given, inputs_);
    std::vector<std::int64_t> rows = run.contents<std::int64_t>("row_of_token");
    if (rows.empty()) rows = test_support::rows_of_buckets(run.contents<std::uint32_t>("scope"), 128);
    const std::size_t row = heads * in.width;
    for (const auto& [name, values] : {std::pair{"q", &in.q},
                                       {"k", &in.k},
                                       {"v", &in.v},
                                       {"out_gradient", &in.out_gradient},
                                       {"out", &expected.out}}) {
      std::vector<std::uint16_t> bits(values->size());
      for (std::size_t i = 0; i < bits.size(); ++i)
        bits[static_cast<std::size_t>(rows[i / row]) * row + i % row] = bf16_with_nan((*values)[i]);
      run.put(name, bits);
    }
    for (const auto& [name, values] : {std::pair{"lse", &expected.lse}, {"plain_delta", &expected.delta}}) {
      std::vector<float> placed(values->size());
      for (std::size_t i = 0; i < placed.size(); ++i)
        placed[i / tokens * tokens + static_cast<std::size_t>(rows[i % tokens])] = (*values)[i];
      run.put(name, placed);
    }
    for (const variant_facts& v : tested().variants) {
      if (!run.applies(v)) continue;
      SCOPED_TRACE(v.name + ", rows " + given.word("rows") + ", width " + std::to_string(in.width));
      run.check(v);  // for what it leaves; what it says is of other inputs
      const char* const names[] = {"q_gradient", "k_gradient", "v_gradient"};
      for (std::size_t which = 0; which < 3; ++which) {
        const auto seen = run.contents<std::uint16_t>(names[which]);
        const gradient& of = expected.of[which];
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
          const float x = float_of_bf16(seen[static_cast<std::size_t>(rows[i / row]) * row + i % row]);
          if (test_support::agree(x, of.value[i], of.magnitude[i] / 32)) continue;
          if (wrong++ == 0)
            ADD_FAILURE() << names[which] << ", token " << i / row << ", element " << i % row << ": " << x
                          << " instead of " << of.value[i];
        }
        EXPECT_EQ(wrong, 0u) << names[which];
      }
    }
  }
};

constexpr std::size_t widths[] = {16, 32, 64, 128};

TEST_F(WindowAttentionBackwardSpecialValuesOnGpu, NothingPlanted) {
  for (const std::size_t width : widths) expect_as_plain(inputs(width));
}

TEST_F(WindowAttentionBackwardSpecialValuesOnGpu, OneQueryThatIsNotFinite) {
  for (const std::size_t width : widths)
    for (const float planted : {nan_value, infinity}) {
      inputs in(width);
      in.row(in.q, 70)[1] = planted;
      expect_as_plain(in);
    }
}

TEST_F(WindowAttentionBackwardSpecialValuesOnGpu, OneKeyThatIsNotFinite) {
  for (const std::size_t width : widths)
    for (const float planted : {nan_value, infinity}) {
      inputs in(width);
      in.row(in.k, 200)[width - 1] = planted;
      expect_as_plain(in);
    }
}

TEST_F(WindowAttentionBackwardSpecialValuesOnGpu, OneValueThatIsNotFinite) {
  for (const std::size_t width : widths)
    for (const float planted : {nan_value, infinity}) {
      inputs in(width);
      in.row(in.v, 131)[0] = planted;
      expect_as_plain(in);
    }
}

TEST_F(WindowAttentionBackwardSpecialValuesOnGpu, OneGradientThatIsNotFinite) {
  for (const std::size_t width : widths) {
    inputs in(width);
    in.row(in.out_gradient, 255)[3] = nan_value;
    expect_as_plain(in);
  }
}

TEST_F(WindowAttentionBackwardSpecialValuesOnGpu, AKeyWithScoresOfMinusInfinity) {
  for (const std::size_t width : widths) {
    inputs in(width);
    // Its weight is 0; of dQ, 0 · ∞ is the one element that is no number.
    for (std::size_t t = 0; t < window; ++t) in.row(in.q, t)[2] = 1;
    in.row(in.k, 20)[2] = -infinity;
    expect_as_plain(in);
  }
}

TEST_F(WindowAttentionBackwardSpecialValuesOnGpu, ARowOfScoresOfMinusInfinity) {
  for (const std::size_t width : widths) {
    inputs in(width);
    // All scores of this query; those of the others are −∞ or +∞ as the sign of their element says.
    for (std::size_t t = 0; t < window; ++t) in.row(in.k, t)[2] = -infinity;
    in.row(in.q, 9)[2] = 1;
    expect_as_plain(in);
  }
}

}  // namespace
}  // namespace ablate::window_attention_backward::special_values_gpu_test
