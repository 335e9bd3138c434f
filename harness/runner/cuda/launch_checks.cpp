#include "harness/runner/launch_checks.cuh"

#include "harness/runner/executor.h"

namespace ablate {

launch_checks::launch_checks(cuda_case& c, right_outputs& shared)
    : case_(c),
      inputs_before_(c.buffers.input_digests(c.device.stream)),
      outputs_(c.work, &shared, c.spec.variant->same_bits,
               [&c] { learn_answer(c.device, c.spec, c.work, c.inputs, c.buffers); }) {
  learn_answer(c.device, c.spec, c.work, c.inputs, c.buffers);
}

void launch_checks::launch_before_timing() { launch(case_.bound.launch_function(), "before timing"); }

named_figures launch_checks::launch_instrumented() {
  const workload& work = case_.work;
  if (!work.read_instruments) return {};
  const suite_case& c = case_.spec;
  launch(c.operation->bind(*c.variant, c.axes, case_.inputs, case_.buffers.addresses(0, true)),
         "instrumented form");
  return figures_of(work.read_instruments(case_.buffers.instruments()), "instrumented");
}

void launch_checks::launch_after_timing() {
  launch(case_.bound.launch_function(), "after timing");
  cuda_buffers& buffers = case_.buffers;
  for (std::size_t set = 0; set < buffers.sets(); ++set) buffers.restore_inputs(case_.device.stream, set);
  const std::string written =
      buffers.differing_input(inputs_before_, buffers.input_digests(case_.device.stream));
  if (!written.empty())
    throw wrong_output("after timing: the input '" + written + "' was written to; expected it as it was");
}

void launch_checks::launch(const std::function<void(launcher&)>& launch_function, const char* when) {
  launcher to(case_.device.stream, case_.device.limits);
  case_.bound.restore();
  launch_function(to);
  outputs_.expect_right(case_.bound.outputs(), when);
}

}  // namespace ablate
