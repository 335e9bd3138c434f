#include "harness/runner/case_energy.cuh"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/device/cuda_check.cuh"
#include "harness/timing/energy_loop.cuh"
#include "harness/timing/launch_graph.cuh"

namespace ablate {
namespace {

/// Of work between two looks for its end: long against a read of the counter, which takes the driver some
/// milliseconds in which the device must not run dry, and short against the counter's steps.
constexpr double round_us = 25'000;
/// Roughly, of an L2 flush with the resets before it.
constexpr double flush_us = 100;

struct loops {
  std::optional<metered_loop> with, around;
  int launches_per_round;
};

int repetitions(double repetition_us) {
  return static_cast<int>(std::clamp(std::ceil(round_us / repetition_us), 1.0, 10'000.0));
}

loops meter_batches(const cuda_case& c, const measured_case::timing& time,
                    const std::function<std::optional<double>()>& joules) {
  const cudaStream_t stream = c.device.stream;
  const int in_graph = static_cast<int>(std::max(time.launches_per_sample, 1L));
  const launch_graph graph(c.bound.region(false), stream, c.device.limits, in_graph);
  const int graphs = repetitions(std::max(time.median_us * in_graph, 1.0));
  const auto round = [&] {
    for (int i = 0; i < graphs; ++i) graph.launch(stream);
  };
  return {meter_rounds(round, stream, joules), {}, graphs * in_graph};
}

loops meter_cold_launches(const cuda_case& c, const measured_case::timing& time,
                          const std::function<std::optional<double>()>& joules) {
  const cudaStream_t stream = c.device.stream;
  const timed_region region = c.bound.region(true);
  launcher to(stream, c.device.limits);
  const int launches = repetitions(flush_us + time.median_us);
  const auto round_of = [&](bool with_launch) {
    return [&, with_launch] {
      for (int i = 0; i < launches; ++i) {
        if (region.reset) region.reset(stream);
        if (region.ahead) region.ahead(to);
        c.device.flush.enqueue(stream);
        if (with_launch) region.launches.front()(to);
      }
    };
  };
  loops out{{}, meter_rounds(round_of(false), stream, joules), launches};
  if (out.around) out.with = meter_rounds(round_of(true), stream, joules);
  return out;
}

double joules_a_launch(const metered_loop& of, double watts, int launches) {
  return watts * of.round_us * 1e-6 / launches;
}

}  // namespace

case_energy::case_energy(const cuda_device& on, bool is_requested) {
  if (!is_requested) return;
  if (!on.nvml.available()) {
    why_not_ = on.nvml.why_not();
  } else if (!on.nvml.energy_j()) {
    why_not_ = "NVML does not count this device's energy";
  } else if (const auto idle = meter_idle([&] { return on.nvml.energy_j(); })) {
    idle_w_ = idle->mean_w;
  } else {
    why_not_ = "NVML's energy counter moves too rarely";
  }
}

void case_energy::add(cuda_case& c, output_check& check, measured_case& facts) const {
  if (!c.spec.protocol.wanted().energy) return;
  const auto none = [&](const std::string& why) {
    facts.energy = std::nullopt;
    facts.energy_reason = why;
  };
  if (!idle_w_) return none(why_not_);
  for (std::size_t set = 0; set < c.bound.sets(); ++set) c.bound.restore(set);
  const auto joules = [&] { return c.device.nvml.energy_j(); };
  const bool is_cold = c.spec.state == cache_state::cold_clean;
  const loops found =
      is_cold ? meter_cold_launches(c, facts.time, joules) : meter_batches(c, facts.time, joules);
  c.prepare();
  c.bound.launch();
  ABLATE_CUDA_CHECK(cudaStreamSynchronize(c.device.stream));
  check.expect_right(c.bound.outputs(), "after energy was metered");
  if (!found.with) return none("NVML's energy counter moved too rarely while the case ran");

  const int launches = found.launches_per_round;
  energy_use out{};
  out.mean_w = found.with->power.mean_w;
  out.loop_us = found.with->round_us / launches;
  out.around_j = found.around ? joules_a_launch(*found.around, found.around->power.mean_w, launches) : 0;
  out.launch_j = joules_a_launch(*found.with, out.mean_w, launches) - out.around_j;
  const double error_j =
      std::hypot(joules_a_launch(*found.with, found.with->power.error_w, launches),
                 found.around ? joules_a_launch(*found.around, found.around->power.error_w, launches) : 0);
  if (out.launch_j <= error_j)
    return none(fmt::format("a launch costs {:.3g} mJ, within the {:.3g} mJ error of the loops around it",
                            1e3 * out.launch_j, 1e3 * error_j));
  out.error_pct = 100 * error_j / out.launch_j;
  out.idle_w = *idle_w_;
  out.seconds = found.with->power.seconds;
  out.step_j = found.with->power.step_j;
  out.steps = static_cast<long>(found.with->power.steps);
  facts.energy = out;
}

}  // namespace ablate
