#include <cstring>
#include <vector>

#include "harness/counters/case_counters.h"
#include "harness/device/host_facts.h"
#include "harness/runner/buffers.h"
#include "harness/runner/executor.h"
#include "harness/runner/output_check.h"
#include "harness/timing/stopwatch.h"
#include "harness/timing/timed.h"
#include "kernels/common/poison.h"
#include "kernels/common/unsupported.h"

namespace ablate {

namespace {

constexpr const char* no_kernels = "host references ran, not kernels";

/// Host buffers of a case: the reference reads its own copy of the inputs, so only written buffers have
/// memory.
class host_buffers {
 public:
  explicit host_buffers(const std::vector<buffer>& buffers) : buffers_(buffers), outputs_(buffers) {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      addresses_.push_back(buffers_[i].is_checked() ? outputs_.at(i) : nullptr);
  }

  void reset() {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      if (const auto byte = reset_byte(buffers_[i]); byte && addresses_[i])
        std::memset(addresses_[i], *byte, buffers_[i].bytes);
  }

  std::span<void* const> addresses() const { return addresses_; }
  const host_outputs& outputs() const { return outputs_; }

 private:
  const std::vector<buffer>& buffers_;
  host_outputs outputs_;
  std::vector<void*> addresses_;
};

/// Delays a sample that took `us` by another `pct` percent.
double delayed(double us, double pct) {
  if (pct == 0) return us;
  const stopwatch watch;
  while (1e6 * watch.seconds() < us * pct / 100) {
  }
  return us + 1e6 * watch.seconds();
}

class host_executor final : public executor {
 public:
  nlohmann::ordered_json device_facts() override { return {{"kind", "host"}, {"name", cpu_model()}}; }

  std::vector<record::evidence_rung> evidence() override {
    std::vector<record::evidence_rung> rungs = {{"timing", true, ""}};
    for (const char* rung :
         {"device_state", "static_facts", "kernel_activity", "range_counters", "pm_sampling"})
      rungs.push_back({rung, false, no_kernels});
    return rungs;
  }

  measurement run(const suite_case& c, const workload& work, const input_library& inputs,
                  const sampling& rule) override {
    case_clock clock;
    measurement result;
    try {
      result = run_case(c, work, inputs, rule, clock);
    } catch (const wrong_output& wrong) {
      result = {"wrong", wrong.what()};
    }
    clock.spent_on(case_phase::checks);
    result.spent = clock.spent();
    return result;
  }

 private:
  measurement run_case(const suite_case& c, const workload& work, const input_library& inputs,
                       const sampling& rule, case_clock& clock) {
    if (!work.reference)
      throw unsupported(work.oracle_variant.empty()
                            ? "there is no host reference: the right answers are in files, and outputs need "
                              "a GPU"
                            : "there is no host reference: the variant '" + work.oracle_variant +
                                  "' is the oracle, which needs a GPU");
    const std::vector<buffer> buffers = c.operation->buffers(c.axes, inputs);
    host_buffers host(buffers);
    clock.spent_on(case_phase::buffers);
    output_check check(work);
    const auto run_once = [&] {
      host.reset();
      const stopwatch watch;
      work.reference(host.addresses());
      return 1e6 * watch.seconds();
    };
    const bool is_checked = !c.protocol.takes_times_alone();
    const auto expect_right = [&](const char* when) {
      if (is_checked) check.expect_right(host.outputs(), when);
    };

    run_once();
    expect_right("before timing");
    clock.spent_on(case_phase::checks);
    timed result{.method = "host_clock", .warmup_launches = 1};
    const stopwatch watch;
    for (;;) {
      result.samples_us.push_back(delayed(run_once(), c.protocol.injected_delay_pct));
      if (const auto reason = enough(rule, result.samples_us, watch.seconds())) {
        result.stopped_by = *reason;
        break;
      }
    }
    clock.spent_on(case_phase::samples);
    expect_right("timed launches");  // also covers `after`: nothing else runs on these outputs

    measurement measured{"ok"};
    measured_case& facts = measured.facts;
    facts.time = timing_of(result);
    facts.counters = nothing_counted("none", "the host reference has no GPU counters");
    facts.check = is_checked ? check.found("ok", host.outputs()) : not_checked();
    if (c.protocol.wanted().sampled) {
      facts.sampled = std::nullopt;
      facts.sampled_reason = no_kernels;
    }
    if (c.protocol.wanted().energy) {
      facts.energy = std::nullopt;
      facts.energy_reason = "the host reference does not run on a GPU";
    }
    if (is_checked) add_figures(c, work, host.outputs().pointers(), facts);
    return measured;
  }
};

}  // namespace

std::unique_ptr<executor> make_host_executor() { return std::make_unique<host_executor>(); }

}  // namespace ablate
