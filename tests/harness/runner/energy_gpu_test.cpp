// Joules of launches of known length.
#include <gtest/gtest.h>

#include "harness/registry/define.h"
#include "harness/runner/executor.h"
#include "kernels/common/launch.cuh"
#include "tests/harness/runner/sampled_kernels.cuh"
#include "tests/harness/runner/sevens.h"
#include "tests/support/capability.h"
#include "tests/support/executor_test.cuh"

namespace ablate::energy_gpu_test {

using test_support::executor_test;

struct burning_problem {
  long us = 0;
  unsigned* out = nullptr;
};

void launch_burning(launcher& to, const burning_problem& p, const switches&) {
  launch(to, sampled_gpu_test::occupy, dim3(static_cast<unsigned>(4 * to.device().multiprocessors)),
         dim3(256), 0, p.out, static_cast<unsigned long long>(1000 * p.us));
}

int launches_left = 0;

/// Launches nothing any more once it was called often.
void launch_fading(launcher& to, const burning_problem& p, const switches& s) {
  if (to.only_describes() || launches_left-- > 0) launch_burning(to, p, s);
}

const bool burning_is_defined = define<burning_problem>(
    {.name = "made_burning",
     .description = "every multiprocessor busy for so long",
     .axes = {axis::of_words("us", {"200", "400"}, "how long")},
     .baseline = "plain",
     .problem = [](const axis_values& at,
                   const input_library&) { return burning_problem{.us = std::stol(at.word("us"))}; },
     .buffers =
         [](burning_problem& p) {
           return bound_buffers{bind("out", p.out, 4, buffer_role::output, buffer_reset::poison)};
         },
     .prepare = [](const burning_problem&, const axis_values&,
                   const input_library&) { return sampled_gpu_test::sevens(); },
     .variants = {{"plain", launch_burning, {}, "as it is"},
                  {"fading", launch_fading, {}, "nothing after many launches"}}});

namespace {

class EnergyOfLaunches : public executor_test {
 protected:
  measurement metered(const std::string& variant, const char* us, cache_state state) {
    suite_case c = case_of("made_burning", variant, {{"us", us}}, state);
    c.protocol.observed->energy = true;
    return run(c, {.energy = true});
  }
};

TEST_F(EnergyOfLaunches, TwiceTheTimeCostsTwiceTheJoules) {
  for (const cache_state state : {cache_state::hot, cache_state::cold_clean}) {
    SCOPED_TRACE(to_string(state));
    const measurement once = metered("plain", "200", state), twice = metered("plain", "400", state);
    ASSERT_EQ(once.status, "ok") << once.reason;
    ASSERT_EQ(twice.status, "ok") << twice.reason;
    if (!once.facts.energy) ABLATE_LACKS("energy", once.facts.energy_reason);
    const energy_use &a = *once.facts.energy, &b = twice.facts.energy.value();
    EXPECT_NEAR(b.launch_j / a.launch_j, 2, 0.2);
    EXPECT_GT(a.mean_w, a.idle_w);
    EXPECT_GT(a.idle_w, 20);
    EXPECT_LT(a.error_pct, 10);
    EXPECT_GE(a.seconds, 1);
    EXPECT_GE(a.loop_us, 0.98 * once.facts.time.median_us);
    EXPECT_EQ(a.around_j > 0, state == cache_state::cold_clean);
    if (state == cache_state::hot) {
      EXPECT_LT(a.loop_us, 1.1 * once.facts.time.median_us);
    }
    EXPECT_GT(a.launch_j, a.idle_w * 200e-6) << "a busy device takes more than an idle one";
  }
}

TEST_F(EnergyOfLaunches, AreNotMeteredUnlessAskedFor) {
  const measurement m = run(case_of("made_burning", "plain", {{"us", "200"}}, cache_state::hot));
  EXPECT_TRUE(m.facts.energy.is_absent());
}

TEST_F(EnergyOfLaunches, ALaunchThatGoesWrongMeanwhileIsFound) {
  launches_left = 1000;
  const measurement m = metered("fading", "200", cache_state::cold_clean);
  if (m.status == "ok" && !m.facts.energy_reason.empty()) ABLATE_LACKS("energy", m.facts.energy_reason);
  EXPECT_EQ(m.status, "wrong");
  EXPECT_NE(m.reason.find("energy"), std::string::npos) << m.reason;
}

}  // namespace
}  // namespace ablate::energy_gpu_test
