#include "harness/runner/cuda_executor.cuh"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/counters/case_counters.h"
#include "harness/device/cuda_check.cuh"
#include "harness/device/kernel_facts.h"
#include "harness/runner/case_energy.cuh"
#include "harness/runner/case_profilers.cuh"
#include "harness/runner/case_timing.cuh"
#include "harness/runner/cuda_case.cuh"
#include "harness/runner/cuda_device.cuh"
#include "harness/runner/held_cuda_case.cuh"
#include "harness/runner/launch_checks.cuh"
#include "harness/runner/nvtx_range.cuh"
#include "harness/runner/or_device_lost.cuh"
#include "harness/runner/timed_outputs.cuh"
#include "harness/runner/tool_launches.cuh"

namespace ablate {

namespace {

record::evidence_rung available(const char* rung) { return {rung, true, ""}; }

record::evidence_rung missing(const char* rung, const std::string& reason) { return {rung, false, reason}; }

/// For a gate's launch: correctness was checked before, and every second counts.
measurement run_unchecked(const cuda_case& c, const sampling& rule, case_clock& clock) {
  measurement out{"ok"};
  time_case(c, rule, out.facts);
  clock.spent_on(case_phase::samples);
  out.facts.counters = nothing_counted(std::string(no_counters), "a launch of a gate has no counters");
  out.facts.kernels = c.kernels();
  out.facts.check = not_checked();
  return out;
}

class cuda_executor final : public executor {
 public:
  cuda_executor(int index, const profiling_request& wanted)
      : device_(index), energy_(device_, wanted.energy), profilers_(device_, wanted) {}

  nlohmann::ordered_json device_facts() override { return device_.facts(); }

  std::vector<record::evidence_rung> evidence() override {
    constexpr const char* not_collected = "this program does not collect it";
    return {available("timing"),
            device_.nvml.available() ? available("device_state")
                                     : missing("device_state", device_.nvml.why_not()),
            all_kernel_resources().empty()
                ? missing("static_facts", "this build has no machine code, only PTX")
                : available("static_facts"),
            missing("kernel_activity", not_collected),
            profilers_.counters_rung(),
            profilers_.sampling_rung()};
  }

  measurement run(const suite_case& c, const workload& work, const input_library& inputs,
                  const sampling& rule) override {
    const nvtx_range range(c.id);
    return or_device_lost([&] { return run_case(c, work, inputs, rule); });
  }

  void begin_workload(std::uint64_t number) override {
    if (number != workload_) answer_ = {};
    workload_ = number;
  }

  std::unique_ptr<held_case> hold(const suite_case& c, const workload& work,
                                  const input_library& inputs) override {
    profilers_.yield_counters();
    answer_ = {};
    return or_device_lost([&] { return hold_on(device_, c, work, inputs); });
  }

  nlohmann::ordered_json launch_once(const suite_case& c, const workload& work,
                                     const input_library& inputs) override {
    const nvtx_range range(c.id);
    return or_device_lost([&] { return launch_for_profiler(device_, c, work, inputs); });
  }

  nlohmann::ordered_json launch_bare(
      const suite_case& c, const workload& work, const input_library& inputs, bool poisoned,
      const std::function<void(const nlohmann::ordered_json&)>& announce) override {
    return or_device_lost([&] { return launch_for_sanitizer(device_, c, work, inputs, poisoned, announce); });
  }

 private:
  measurement run_case(const suite_case& c, const workload& work, const input_library& inputs,
                       const sampling& rule) {
    case_clock clock;
    profilers_.yield_counters();
    device_.l2.restore(device_.stream);
    if (work.learn || work.check_again || workload_ == 0) answer_ = {};
    cuda_buffers buffers = buffers_for(c, work, inputs);
    answer_.kept.leave_room();
    cuda_case ready(device_, c, work, inputs, buffers, &answer_.kept);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(device_.stream));
    clock.spent_on(case_phase::buffers);
    measurement result;
    try {
      result = c.protocol.takes_times_alone() ? run_unchecked(ready, rule, clock)
                                              : run_checked(ready, rule, clock);
    } catch (const wrong_output& wrong) {
      clock.spent_on(case_phase::checks);
      result = {"wrong", wrong.what()};
    }
    result.spent = clock.spent();
    return result;
  }

  /// What was kept of earlier cases takes no memory from one that needs it.
  cuda_buffers buffers_for(const suite_case& c, const workload& work, const input_library& inputs) {
    const std::vector<buffer> buffers = c.operation->buffers_of(c.variant, c.axes, inputs);
    const std::size_t sets = buffer_sets(c.state, buffers, device_.properties.l2CacheSize);
    try {
      return cuda_buffers(buffers, work, sets);
    } catch (const out_of_memory&) {
      if (!answer_.right.bytes) throw;
    }
    answer_ = {};
    return cuda_buffers(buffers, work, sets);
  }

  measurement run_checked(cuda_case& c, const sampling& rule, case_clock& clock) {
    launch_checks checks(c, answer_.right);
    checks.launch_before_timing();
    measurement result{"ok"};
    measured_case& facts = result.facts;
    facts.instrumented = checks.launch_instrumented();
    clock.spent_on(case_phase::checks);

    const timed samples = time_case(c, rule, facts);
    clock.spent_on(case_phase::samples);

    output_check& outputs = checks.outputs();
    const std::string_view timed_launches = check_timed_outputs(c.bound, samples, outputs);
    checks.launch_after_timing();
    facts.check = outputs.found(timed_launches, outputs.last());
    add_figures(c.spec, c.work, outputs.last().pointers(), facts);
    clock.spent_on(case_phase::checks);

    facts.kernels = c.kernels();
    facts.counters = profilers_.counters_of(c, outputs, facts.kernels);
    clock.spent_on(case_phase::counters);

    profilers_.add_samples(c, outputs, facts);
    energy_.add(c, outputs, facts);
    clock.spent_on(case_phase::sampling);
    return result;
  }

  /// The first outputs of a workload that were right.
  struct workload_answer {
    right_outputs right;
    kept_outputs kept;
  };

  cuda_device device_;
  std::uint64_t workload_ = 0;  ///< begin_workload
  workload_answer answer_;      ///< of this workload, if it has a number, or of the case alone
  case_energy energy_;
  case_profilers profilers_;
};

}  // namespace

std::unique_ptr<executor> make_cuda_executor(int index, const profiling_request& wanted) {
  return std::make_unique<cuda_executor>(index, wanted);
}

}  // namespace ablate
