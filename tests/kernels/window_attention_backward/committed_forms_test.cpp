// What hopper_per_shape_best takes against the times of committed records.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/record/record.h"
#include "kernels/window_attention_backward/per_shape_best.h"
#include "tests/support/paths.h"

namespace ablate::window_attention_backward::committed_forms_test {
namespace {

const std::map<std::string, form> forms = {{"hopper_bulk", form::bulk},
                                           {"hopper_reduced", form::reduced},
                                           {"hopper_persistent", form::persistent},
                                           {"hopper_private_dq", form::private_dq},
                                           {"hopper_window_per_cta", form::window_per_cta}};

/// The forms that a suite has measured on an H200, by axes.
std::map<named_words, std::vector<measured_case>> forms_by_workload(const std::string& suite) {
  std::map<named_words, std::vector<measured_case>> out;
  const std::string path = "results/h200/" + suite + "/record.json";
  for (measured_case& c : read_record(test_support::source_path(path)).cases)
    if (c.operation == "window_attention_backward" && forms.contains(c.variant))
      out[c.axes].push_back(std::move(c));
  return out;
}

/// Holds what a shape gets to the fastest form measured, and says on how many workloads what it gets was.
int held_to_the_fastest(const std::string& suite) {
  int held = 0;
  for (const auto& [axes, cases] : forms_by_workload(suite)) {
    const form chosen =
        per_shape_best(std::stoi(*find_word(axes, "width")), std::stoll(*find_word(axes, "window")));
    const auto taken = std::find_if(cases.begin(), cases.end(),
                                    [&](const measured_case& c) { return forms.at(c.variant) == chosen; });
    if (taken == cases.end()) continue;
    const auto fastest = std::min_element(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
      return a.time.median_us < b.time.median_us;
    });
    ++held;
    // Forms that meet the power cap have clocks of their own, which differ by as much.
    EXPECT_LE(taken->time.median_us, 1.03 * fastest->time.median_us)
        << suite << ": " << taken->name << ", but " << fastest->variant << " is faster";
  }
  return held;
}

TEST(CommittedGradientsOfAttention, AShapeGetsTheFastestFormOrOneHardlySlower) {
  EXPECT_GE(held_to_the_fastest("attention_short_windows"), 8);
  EXPECT_GE(held_to_the_fastest("attention_narrow_heads"), 6);
  EXPECT_GE(held_to_the_fastest("bucket_attention_backward"), 2);
}

}  // namespace
}  // namespace ablate::window_attention_backward::committed_forms_test
