// Results that stay on the device and are within tolerance, but differ in one bit in every other launch:
// recorded for a variant that promises nothing, wrong for one that promises the same bits. What the
// comparison itself writes always differs, and does not count. Also an input that is written to.
#include <gtest/gtest.h>

#include <span>

#include "harness/registry/define.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/runner/same_bits_kernels.cuh"
#include "tests/support/executor_test.cuh"

namespace ablate::same_bits_test {

struct roots_problem {
  bool is_read_back = false;
  float* out = nullptr;
  findings* found = nullptr;
  unsigned* unused = nullptr;  ///< an input
};

void launch_roots(launcher& to, const roots_problem& p, const switches& s) {
  const dim3 grid(blocks_for(roots, 256)), block(256);
  if (p.is_read_back) {
    launch(to, clear_findings, dim3(1), dim3(1), 0, p.found);
    launch(to, judge_roots, grid, block, 0, p.out, p.found);
    return;
  }
  launch(to, take_roots, grid, block, 0, p.out, s.word("flips") == "on");
  launch(to, count_launch, dim3(1), dim3(1), 0);
  if (s.has("writes")) launch(to, write_word, dim3(1), dim3(1), 0, p.unused);
}

workload roots_workload() {
  static constexpr unsigned words[4] = {};
  workload w;
  w.contents = {{}, {}, std::as_bytes(std::span(words))};
  w.check = [](std::span<const std::byte* const> out) -> check_result {
    const findings& found = *reinterpret_cast<const findings*>(out[1]);
    return {found.wrong == 0, found.wrong == 0 ? "" : "roots are wrong"};
  };
  w.input = {{"hash", "0123456789abcdef"}};
  return w;
}

const bool roots_are_defined = define<roots_problem>(
    {.name = "made_roots",
     .description = "square roots that are compared on the device",
     .axes = {},
     .baseline = "steady",
     .problem = [](const axis_values&, const input_library&) { return roots_problem(); },
     .buffers =
         [](roots_problem& p) {
           return bound_buffers{
               bind("out", p.out, sizeof(float) * roots, buffer_role::result, buffer_reset::poison),
               bind("found", p.found, sizeof(findings), buffer_role::finding, buffer_reset::poison),
               bind("unused", p.unused, 4 * sizeof(unsigned))};
         },
     .prepare = [](const roots_problem&, const axis_values&,
                   const input_library&) { return roots_workload(); },
     .readback = [](const roots_problem& p) -> std::optional<roots_problem> {
       roots_problem after = p;
       after.is_read_back = true;
       return after;
     },
     .variants = {{"steady", launch_roots, {{"flips", "off"}}, "the same bits", {.same_bits = true}},
                  {"promised", launch_roots, {{"flips", "on"}}, "not the same bits", {.same_bits = true}},
                  {"unpromised", launch_roots, {{"flips", "on"}}, "not the same bits"},
                  {"writes", launch_roots, {{"flips", "off"}, {"writes", "on"}}, "writes to an input"}}});

namespace {

class SameBitsOnGpu : public test_support::executor_test {
 protected:
  measurement of(const char* variant, cache_state state) const {
    return run(case_of("made_roots", variant, {}, state));
  }
  static constexpr cache_state states[] = {cache_state::cold_clean, cache_state::hot, cache_state::rotating};
};

TEST_F(SameBitsOnGpu, AreSeenWhateverTheComparisonWrites) {
  for (const cache_state state : states) {
    const measurement m = of("steady", state);
    ASSERT_EQ(m.status, "ok") << to_string(state) << ": " << m.reason;
    EXPECT_EQ(m.facts.check.changed_share, 0) << to_string(state);
  }
}

TEST_F(SameBitsOnGpu, ThatAreNotTheSameAreWrongWhereTheyWerePromised) {
  for (const cache_state state : states) {
    const measurement m = of("promised", state);
    EXPECT_EQ(m.status, "wrong") << to_string(state);
    EXPECT_NE(m.reason.find("1 of 40000 bytes of results differ"), std::string::npos) << m.reason;
  }
}

TEST_F(SameBitsOnGpu, AnInputThatIsWrittenToMakesACaseWrong) {
  for (const cache_state state : states) {
    const measurement m = of("writes", state);
    EXPECT_EQ(m.status, "wrong") << to_string(state);
    EXPECT_EQ(m.reason, "after timing: the input 'unused' was written to; expected it as it was");
  }
}

TEST_F(SameBitsOnGpu, ThatNobodyPromisedAreRecorded) {
  bool is_seen = false;
  // Whether the launches before and after timing differ hangs on their number, odd or even.
  for (const cache_state state : states)
    for (int i = 0; i < 4; ++i) {
      const measurement m = of("unpromised", state);
      ASSERT_EQ(m.status, "ok") << m.reason;
      const double share = m.facts.check.changed_share.value();
      EXPECT_TRUE(share == 0 || share == 1.0 / 40000) << share;
      is_seen = is_seen || share > 0;
    }
  EXPECT_TRUE(is_seen) << "not once in twelve cases";
}

}  // namespace
}  // namespace ablate::same_bits_test
