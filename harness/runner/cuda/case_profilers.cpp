#include "harness/runner/case_profilers.cuh"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/counters/device_marks.cuh"
#include "harness/counters/sampled_ranges.h"
#include "harness/device/cuda_check.cuh"
#include "harness/runner/nvtx_range.cuh"
#include "harness/timing/launch_graph.cuh"

namespace ablate {

namespace {

record::evidence_rung rung(const char* name, const auto& tool, const char* not_wanted) {
  const std::string why_not = tool ? tool->why_not().value_or("") : not_wanted;
  return {name, tool && !tool->why_not(), why_not};
}

/// How the case is launched where its clock is the host's: as it is timed.
std::function<void()> launch_as_timed(const cuda_case& c) {
  if (c.spec.state == cache_state::cold_clean &&
      c.spec.operation->clock(c.spec.axes, c.inputs) == region_clock::host_graph) {
    const auto graph =
        std::make_shared<launch_graph>(c.bound.region(false), c.device.stream, c.device.limits, 1);
    return [&c, graph] { graph->launch(c.device.stream); };
  }
  return [&c] { c.bound.launch(); };
}

/// Each on an idle device, between two stamps that leave no time out but that of the first launch's way to
/// the device.
std::vector<device_range> run_marked(const cuda_case& c, const std::function<void()>& launch,
                                     const device_marks& marks) {
  const cudaStream_t stream = c.device.stream;
  for (std::size_t i = 0; i < forwards_a_round; ++i) {
    c.prepare();
    const nvtx_range range(c.spec.operation->name);
    marks.enqueue_stamp(stream, 2 * i);
    launch();
    marks.enqueue_stamp(stream, 2 * i + 1);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream));
  }
  const std::vector<std::uint64_t> stamps = marks.stamps();
  std::vector<device_range> out;
  for (std::size_t i = 0; i < stamps.size(); i += 2) out.push_back({stamps[i], stamps[i + 1]});
  return out;
}

}  // namespace

case_profilers::case_profilers(const cuda_device& on, const profiling_request& wanted) {
  if (wanted.timeline) sampler_.emplace(on.index);
  if (wanted.sampled) ranges_.emplace(on.index);
  if (wanted.counters) profiler_.emplace(on.index, on.silicon());
}

record::evidence_rung case_profilers::counters_rung() const {
  return rung("range_counters", profiler_, "no counters were requested");
}

record::evidence_rung case_profilers::sampling_rung() const {
  return ranges_ ? rung("pm_sampling", ranges_, "")
                 : rung("pm_sampling", sampler_, "no sampling was requested");
}

counter_readings case_profilers::counters_of(cuda_case& c, output_check& check,
                                             const std::vector<measured_case::kernel_launch>& kernels) {
  const std::string set = c.spec.protocol.wanted().counters;
  if (set == no_counters || !profiler_)
    return nothing_counted(std::string(no_counters), "no counters were requested");
  profiled_case profiled;
  profiled.kernels = kernel_names(kernels);
  profiled.prepare = [&] { c.prepare(); };
  profiled.launch = [&] {
    c.bound.launch();
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(c.device.stream));
  };
  profiled.expect_right_output = [&](const std::string& group) {
    check.expect_right(c.bound.outputs(), "while counters of group '" + group + "' were read");
  };
  return profiler_->collect(set, profiled);
}

void case_profilers::add_samples(cuda_case& c, output_check& check, measured_case& facts) {
  const observations wanted = c.spec.protocol.wanted();
  if (wanted.timeline && sampler_ && !sampler_->why_not()) add_timeline(c, check, facts);
  if (wanted.sampled && ranges_) add_sampled(c, check, facts);
}

void case_profilers::add_timeline(cuda_case& c, output_check& check, measured_case& facts) {
  sampled_case sampled;
  sampled.kernels = kernel_shares(kernel_names(facts.kernels), facts.counters);
  sampled.launch_us = facts.time.median_us;
  sampled.prepare = [&] { c.prepare(); };
  sampled.enqueue = [&] { c.bound.launch(); };
  sampled.only_once = c.bound.has_ahead();
  if (profiler_) profiler_->release();
  try {
    facts.timeline = sampler_->collect(sampled, c.device.stream);
  } catch (const counters_unavailable& why) {
    facts.timeline = std::nullopt;
    facts.timeline_reason = why.what();
    return;
  }
  if (facts.timeline->loops == 1 || !c.bound.accumulates())
    check.expect_right(c.bound.outputs(), "while a timeline was sampled");
}

void case_profilers::add_sampled(cuda_case& c, output_check& check, measured_case& facts) {
  if (profiler_) profiler_->release();
  try {
    if (ranges_->why_not()) throw counters_unavailable(*ranges_->why_not());
    const device_marks marks(c.device.index, 2 * forwards_a_round);
    const std::function<void()> launch = launch_as_timed(c);
    const sampled_ranges ranges = sample_forwards(*ranges_, [&] { return run_marked(c, launch, marks); });
    facts.sampled = sampled_of(ranges_->keys(), ranges);
  } catch (const counters_unavailable& why) {
    facts.sampled = std::nullopt;
    facts.sampled_reason = why.what();
    return;
  }
  check.expect_right(c.bound.outputs(), "while forwards were sampled");
}

}  // namespace ablate
