#include "harness/runner/timed_outputs.cuh"

#include "harness/timing/launch_graph.cuh"

namespace ablate {

namespace {

void expect_all_right(bound_case& bound, output_check& check, const std::string& when) {
  const std::string of_all = " of " + std::to_string(bound.sets()) + " of the buffers";
  for (std::size_t set = 0; set < bound.sets(); ++set)
    check.expect_right(bound.outputs(set),
                       bound.sets() == 1 ? when : when + ", set " + std::to_string(set + 1) + of_all);
}

void clear_all_outputs(const bound_case& bound) {
  for (std::size_t set = 0; set < bound.sets(); ++set) bound.clear_outputs(set);
}

}  // namespace

std::string_view check_timed_outputs(bound_case& bound, const timed& samples, output_check& check) {
  const bool are_batches = static_cast<bool>(samples.again);
  if (are_batches && bound.accumulates()) {
    const launch_graph once(bound.region(false), bound.stream(), bound.limits(),
                            static_cast<int>(bound.sets()));
    clear_all_outputs(bound);
    once.launch(bound.stream());
    expect_all_right(bound, check, "one launch on cleared outputs, after the timed ones");
    return "accumulated";
  }
  expect_all_right(bound, check, "timed launches");
  if (are_batches) {
    clear_all_outputs(bound);
    bound.change_inputs();
    samples.again();
    expect_all_right(bound, check, "timed launches again on cleared outputs");
  }
  return "ok";
}

}  // namespace ablate
