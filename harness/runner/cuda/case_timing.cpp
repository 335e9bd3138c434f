#include "harness/runner/case_timing.cuh"

#include "harness/runner/injected_delay.cuh"
#include "harness/timing/gpu_timing.cuh"
#include "harness/timing/spin.cuh"

namespace ablate {

timed time_region(const cuda_case& c, const timed_region& region, const sampling& rule) {
  const cuda_device& on = c.device;
  const clock_wait waiting{c.spec.protocol.steady_clock_s, on.power_cap_w, [&on] { return on.nvml.load(); }};
  const clock_wait* wait = c.spec.protocol.steady_clock_s > 0 ? &waiting : nullptr;
  if (c.spec.state != cache_state::cold_clean)
    return time_graph_batches(region, on.stream, on.limits, rule, wait);
  const region_clock clock = c.spec.operation->clock(c.spec.axes, c.inputs);
  if (clock == region_clock::device)
    return time_cold_clean(region, on.stream, on.limits, on.flush, rule, wait);
  return time_on_host_clock(region, on.stream, on.limits, on.flush, clock == region_clock::host_graph, rule,
                            wait);
}

timed time_case(const cuda_case& c, const sampling& rule, measured_case& facts) {
  const std::optional<device_state> before = c.device.state();
  const auto time = [&](const timed_region& of) { return time_region(c, of, rule); };
  const bool is_cold = c.spec.state == cache_state::cold_clean;
  for (std::size_t set = 0; set < c.bound.sets(); ++set) c.bound.restore(set);
  if (!is_cold) c.bound.change_inputs();  // once: within a batch a change would be timed
  const timed_region region = c.bound.region(is_cold);
  timed out = c.spec.protocol.injected_delay_pct > 0
                  ? time_delayed(region, c.device.stream, c.spec.protocol.injected_delay_pct, time)
                  : time(region);
  const double clock_mhz = measured_sm_clock_mhz(c.device.stream);
  if (before) facts.device_state = {before, c.device.state(), clock_mhz};
  facts.time = timing_of(out);
  return out;
}

}  // namespace ablate
