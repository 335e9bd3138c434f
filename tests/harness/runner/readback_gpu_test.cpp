// A variant that leaves its answer in memory of its own: before each check it is asked to bring it to the
// outputs, and that is neither timed nor counted.
#include <gtest/gtest.h>

#include "harness/registry/define.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/runner/readback_kernels.cuh"
#include "tests/support/executor_test.cuh"
#include "tests/support/variant_run.cuh"

namespace ablate::test_support {

/// Squares into scratch, each variant at places of its own; reading back puts them in order.
struct hidden_problem {
  bool computes = true, reads_back = false;  ///< what this launch does
  bool needs_readback = true;
  unsigned* hidden = nullptr;
  unsigned* out = nullptr;
  unsigned long long* computed = nullptr;  ///< instrument: threads that computed; null = plain
};

void launch_hidden(launcher& to, const hidden_problem& p, const switches& s) {
  const dim3 grid(blocks_for(squares, 256)), block(256);
  const auto stride = static_cast<unsigned>(s.integer("stride"));
  if (p.computes) launch(to, square_numbers, grid, block, 0, p.hidden, stride, p.computed);
  if (p.reads_back) launch(to, copy_squares, grid, block, 0, p.hidden, stride, p.out);
}

workload hidden_workload() {
  workload w;
  w.contents.resize(3);
  w.check = [](std::span<const std::byte* const> out) -> check_result {
    const auto* values = reinterpret_cast<const unsigned*>(out[1]);
    for (unsigned i = 0; i < squares; ++i)
      if (values[i] != i * i) return {false, "square " + std::to_string(i) + " differs", 1};
    return {.ok = true};
  };
  w.read_instruments = [](std::span<const std::uint64_t> counts) {
    return nlohmann::ordered_json{{"computed", counts[0]}};
  };
  w.input = {{"hash", "0123456789abcdef"}};
  return w;
}

const bool hiding_is_defined = define<hidden_problem>(
    {.name = "made_hiding",
     .description = "squares that stand where nobody looks",
     .axes = {axis::of_words("read", {"back", "nothing"}, "what follows the region")},
     .baseline = "in_order",
     .problem =
         [](const axis_values& at, const input_library&) {
           return hidden_problem{.needs_readback = at.word("read") == "back"};
         },
     .buffers =
         [](hidden_problem& p) {
           return bound_buffers{
               bind("hidden", p.hidden, 4 * squares, buffer_role::scratch, buffer_reset::poison),
               bind("out", p.out, 4 * squares, buffer_role::output, buffer_reset::poison),
               bind("computed", p.computed, 8, buffer_role::instruments, buffer_reset::zeros)};
         },
     .prepare = [](const hidden_problem&, const axis_values&,
                   const input_library&) { return hidden_workload(); },
     .readback = [](const hidden_problem& p) -> std::optional<hidden_problem> {
       if (!p.needs_readback) return std::nullopt;
       return hidden_problem{.computes = false, .reads_back = true};
     },
     .variants = {{"in_order", launch_hidden, {{"stride", "1"}}, "square i at place i"},
                  {"scattered", launch_hidden, {{"stride", "7"}}, "square i at place 7 i"}}});

namespace {

class Readback : public executor_test {
 protected:
  static suite_case hiding(const std::string& variant, const std::string& read = "back",
                           cache_state state = cache_state::cold_clean) {
    return case_of("made_hiding", variant, {{"read", read}}, state);
  }
};

TEST_F(Readback, IsDoneBeforeEachCheckInEveryCacheState) {
  for (const cache_state state : {cache_state::cold_clean, cache_state::hot, cache_state::rotating})
    for (const char* variant : {"in_order", "scattered"}) {
      const measurement m = run(hiding(variant, "back", state));
      EXPECT_EQ(m.status, "ok") << to_string(state) << ": " << m.reason;
      if (m.status != "ok") continue;
      ASSERT_EQ(m.facts.kernels.size(), 1u) << "what reads back is none of the case's kernels";
      EXPECT_EQ(find_counter(m.facts.instrumented, "computed"), squares);
    }
}

TEST_F(Readback, WithoutItTheOutputsKeepTheirPoison) {
  const measurement m = run(hiding("in_order", "nothing"));
  EXPECT_EQ(m.status, "wrong");
  EXPECT_EQ(m.reason, "before timing: square 0 differs");
}

TEST_F(Readback, IsDoneAfterCountedPassesAndUncounted) { expect_counters_of(hiding("scattered"), 1); }

TEST_F(Readback, IsDoneAfterTheLaunchForAProfiler) { expect_launch_of(hiding("scattered"), 1); }

TEST_F(Readback, IsDoneByAVariantRun) {
  const operation& op = *find_operation("made_hiding");
  variant_run back(op, {{"read", "back"}}, inputs_);
  for (const variant_facts& v : op.variants) {
    const check_result result = back.check(v);
    EXPECT_TRUE(result.ok) << v.name << ": " << result.message;
    EXPECT_EQ(back.instrumented(v).at("computed"), squares);
  }
  variant_run nothing(op, {{"read", "nothing"}}, inputs_);
  EXPECT_FALSE(nothing.check(op.variants.front()).ok);
}

}  // namespace
}  // namespace ablate::test_support
