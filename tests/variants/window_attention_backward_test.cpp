// The operation window_attention_backward on the host: axes, check and figures, whatever the variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "harness/registry/registry.h"
#include "harness/runner/buffers.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate {
namespace {

using ::testing::HasSubstr;
using window_attention_backward::deviations;

const operation& backward() { return *find_operation("window_attention_backward"); }

/// Of a few tokens.
axis_values at(const axis_values& given) {
  axis_values all;
  for (const axis& a : backward().axes) all.set(a.name, a.default_value);
  for (const auto& [name, value] :
       axis_values{{"tokens", "512"}, {"window", "256"}, {"bucket", "128"}, {"heads", "2"}, {"width", "16"}})
    all.set(name, value);
  for (const auto& [name, value] : given) all.set(name, value);
  return all;
}

/// A case whose outputs the reference has filled.
struct solved_case {
  explicit solved_case(const axis_values& given = {})
      : buffers(backward().buffers(at(given), input_library(1, {}, {}))),
        outputs(buffers),
        work(backward().prepare(at(given), input_library(1, {}, {}))) {
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const bool written = buffers[i].role == buffer_role::output;
      if (written) std::memset(outputs.at(i), poison_byte, buffers[i].bytes);
      addresses.push_back(written ? outputs.at(i) : nullptr);
    }
    poisoned = work.check(outputs.pointers());
    work.reference(addresses);
  }
  check_result check() const { return work.check(outputs.pointers()); }
  void* output(const std::string& name) {
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].name == name) return outputs.at(i);
    throw std::logic_error(name);
  }
  deviations& found() { return *static_cast<deviations*>(output("found")); }

  std::vector<buffer> buffers;
  host_outputs outputs;
  workload work;
  check_result poisoned;
};

TEST(WindowAttentionBackwardOperation, TakesTheReferenceAndNoPoison) {
  for (const axis_values& given : {axis_values{}, axis_values{{"width", "128"}, {"stride", "2"}},
                                   axis_values{{"order", "shuffled"}, {"batches", "2"}, {"heads", "1"}},
                                   axis_values{{"scores", "zero"}, {"offset", "1"}}}) {
    const solved_case c(given);
    EXPECT_TRUE(c.check().ok) << c.check().message;
    EXPECT_FALSE(c.poisoned.ok);
  }
}

TEST(WindowAttentionBackwardOperation, FindsEachGradientWrong) {
  const char* const names[] = {"dQ", "dK", "dV"};
  for (std::size_t i = 0; i < 3; ++i) {
    solved_case c;
    c.found().of[i].squared_error = 5e-4;
    EXPECT_FALSE(c.check().ok);
    EXPECT_THAT(c.check().message, HasSubstr(std::string(names[i]) + ": relative error"));
    c.found().of[i].squared_error = std::nan("");
    EXPECT_FALSE(c.check().ok);
    c.found().of[i].squared_error = 0;
    c.found().of[i].rows -= 1;
    EXPECT_THAT(c.check().message, HasSubstr("hold numbers only"));
    c.found().of[i].rows += 1;
    EXPECT_TRUE(c.check().ok);
    auto* const sampled = static_cast<float*>(c.output("sampled_gradients")) + i * 16 * 16;
    for (std::size_t d = 0; d < 16; ++d) sampled[d] = -sampled[d];
    EXPECT_THAT(c.check().message, HasSubstr(std::string(names[i]) + ", 16 sampled rows"));
  }
}

TEST(WindowAttentionBackwardOperation, GradientsOfZerosAreZeros) {
  solved_case c({{"scores", "zero"}});
  auto* const sampled = static_cast<float*>(c.output("sampled_gradients"));
  for (std::size_t i = 0; i < 2 * 16 * 16; ++i) ASSERT_EQ(sampled[i], 0);
  sampled[3] = 1e-20f;
  EXPECT_FALSE(c.check().ok);
}

TEST(WindowAttentionBackwardOperation, CountsFiveProducts) {
  const workload w = solved_case().work;
  EXPECT_EQ(w.work.flops, 10.0 * 512 * 256 * 2 * 16);
}

TEST(WindowAttentionBackwardOperation, RefusesWhatMakesNoWindows) {
  EXPECT_NE(backward().refuses(at({{"bucket", "192"}})), std::nullopt);
  EXPECT_NE(backward().refuses(at({{"tokens", "384"}})), std::nullopt);
  EXPECT_EQ(backward().refuses(at({})), std::nullopt);
}

}  // namespace
}  // namespace ablate
