#include <cuda_profiler_api.h>
#include <nvtx3/nvToolsExt.h>

#include <cstring>

#include "base/record/context_json.h"
#include "harness/counters/case_profiler.h"
#include "harness/counters/case_sampler.cuh"
#include "harness/counters/range_sampler.cuh"
#include "harness/counters/sampled_ranges.h"
#include "harness/device/chip.h"
#include "harness/device/gpu_names.h"
#include "harness/device/kernel_facts.h"
#include "harness/device/l2_persistence.cuh"
#include "harness/device/nvml.h"
#include "harness/runner/bound_case.cuh"
#include "harness/runner/cuda_executor.cuh"
#include "harness/runner/injected_delay.cuh"
#include "harness/runner/timed_outputs.cuh"
#include "harness/timing/gpu_timing.cuh"
#include "harness/timing/launch_graph.cuh"
#include "harness/timing/spin.cuh"
#include "harness/timing/statistics.h"
#include "kernels/common/kernel_launch.h"

namespace ablate {

namespace {

/// Shows the case's id as an NVTX range in `nsys` and `ncu`.
class nvtx_range {
 public:
  explicit nvtx_range(const std::string& name) { nvtxRangePushA(name.c_str()); }
  nvtx_range(const nvtx_range&) = delete;
  ~nvtx_range() { nvtxRangePop(); }
};

nlohmann::ordered_json available(const char* rung) { return to_json(record::evidence_rung{rung, true, ""}); }

nlohmann::ordered_json missing(const char* rung, const std::string& reason) {
  return to_json(record::evidence_rung{rung, false, reason});
}

template <class Work>
auto or_device_lost(Work&& work) {
  try {
    return work();
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::exception& failure) {
    // A kernel fault takes the whole context down; any other error leaves the device usable.
    if (cudaDeviceSynchronize() != cudaSuccess) throw device_lost(failure.what());
    cudaGetLastError();
    throw;
  }
}

class cuda_executor final : public executor {
 public:
  cuda_executor(int index, const profiling_request& wanted)
      : index_(index),
        properties_(select(index)),
        limits_{properties_.multiProcessorCount, properties_.sharedMemPerBlockOptin},
        flush_(properties_.l2CacheSize),
        nvml_(uuid_text(properties_.uuid.bytes, properties_.name)),
        power_cap_w_(nvml_.facts().power_cap_w) {
    if (wanted.timeline) sampler_.emplace(index);
    if (wanted.sampled) ranges_.emplace(index);
    if (wanted.counters) profiler_.emplace(index, silicon());
  }

  nlohmann::ordered_json device_facts() override {
    const chip* profile = chip_of_product(properties_.name);
    int driver = 0, runtime = 0;
    ABLATE_CUDA_CHECK(cudaDriverGetVersion(&driver));
    ABLATE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    const nvml_facts facts = nvml_.facts();
    const auto or_null = [](const auto& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    };
    return {
        {"kind", "gpu"},
        {"name", properties_.name},
        {"chip", profile ? nlohmann::ordered_json(profile->name) : nlohmann::ordered_json()},
        {"silicon", or_null(silicon_of(capability()))},
        {"uuid", uuid_text(properties_.uuid.bytes, properties_.name)},
        {"compute_capability", std::to_string(properties_.major) + "." + std::to_string(properties_.minor)},
        {"architecture", architecture_of(capability())},
        {"multiprocessors", properties_.multiProcessorCount},
        {"l2_bytes", properties_.l2CacheSize},
        {"memory_bytes", properties_.totalGlobalMem},
        {"driver", facts.driver.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(facts.driver)},
        {"cuda_driver", version_text(driver)},
        {"cuda_runtime", version_text(runtime)},
        {"ecc", or_null(facts.ecc)},
        {"mig", or_null(facts.mig)},
        {"power_cap_w", or_null(facts.power_cap_w)}};
  }

  nlohmann::ordered_json evidence() override {
    constexpr const char* not_collected = "this program does not collect it";
    return {available("timing"),
            nvml_.available() ? available("device_state") : missing("device_state", nvml_.why_not()),
            all_kernel_resources().empty()
                ? missing("static_facts", "this build holds no machine code, only PTX")
                : available("static_facts"),
            missing("kernel_activity", not_collected),
            rung("range_counters", profiler_, "no counters were requested"),
            ranges_ ? rung("pm_sampling", ranges_, "")
                    : rung("pm_sampling", sampler_, "no sampling was requested")};
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
    if (profiler_) profiler_->give_way();
    answer_ = {};
    return or_device_lost([&] { return std::make_unique<held_cuda_case>(*this, c, work, inputs); });
  }

  nlohmann::ordered_json launch_once(const suite_case& c, const workload& work,
                                     const input_library& inputs) override {
    const nvtx_range range(c.id);
    return or_device_lost([&] { return launch_for_profiler(c, work, inputs); });
  }

  nlohmann::ordered_json launch_bare(
      const suite_case& c, const workload& work, const input_library& inputs, bool poisoned,
      const std::function<void(const nlohmann::ordered_json&)>& announce) override {
    return or_device_lost([&] { return launch_for_sanitizer(c, work, inputs, poisoned, announce); });
  }

 private:
  class held_cuda_case final : public held_case {
   public:
    held_cuda_case(cuda_executor& on, const suite_case& c, const workload& work, const input_library& inputs)
        : on_(on),
          case_(c),
          inputs_(inputs),
          buffers_(c.operation->buffers_of(c.variant, c.axes, inputs)),
          device_(buffers_, work, on.copies(c, buffers_)),
          bound_(c, inputs, device_, on.stream_, on.limits_) {
      on.l2_.restore(on.stream_);
    }

    double time_us(const sampling& rule) override {
      const nvtx_range range(case_.id);
      return or_device_lost([&] {
        restore();
        const timed_region region = bound_.region(case_.state == cache_state::cold_clean);
        return summarize(on_.time_region(case_, region, inputs_, rule).samples_us).median;
      });
    }

    /// Enough launches at a time that the device has no pause while the host looks whether it is over.
    void keep_busy(const sampling&, const std::function<bool()>& is_over) override {
      constexpr int launches_between_looks = 32;
      const nvtx_range range(case_.id);
      or_device_lost([&] {
        restore();
        do {
          for (int i = 0; i < launches_between_looks; ++i) bound_.launch();
          ABLATE_CUDA_CHECK(cudaStreamSynchronize(on_.stream_));
        } while (!is_over());
      });
    }

   private:
    void restore() const {
      for (std::size_t set = 0; set < bound_.sets(); ++set) bound_.restore(set);
    }

    cuda_executor& on_;
    const suite_case& case_;
    const input_library& inputs_;
    std::vector<buffer> buffers_;
    cuda_buffers device_;
    bound_case bound_;
  };

  static cudaDeviceProp select(int index) {
    ABLATE_CUDA_CHECK(cudaSetDevice(index));
    cudaDeviceProp properties;
    ABLATE_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    return properties;
  }

  static nlohmann::ordered_json rung(const char* name, const auto& tool, const char* not_wanted) {
    if (!tool) return missing(name, not_wanted);
    return tool->why_not() ? missing(name, *tool->why_not()) : available(name);
  }

  int capability() const { return 10 * properties_.major + properties_.minor; }
  std::string silicon() const { return silicon_of(capability()).value_or(""); }

  measurement run_case(const suite_case& c, const workload& work, const input_library& inputs,
                       const sampling& rule) {
    case_clock clock;
    if (profiler_) profiler_->give_way();
    l2_.restore(stream_);
    if (work.learn || work.check_again || workload_ == 0) answer_ = {};
    cuda_buffers device = buffers_for(c, work, inputs);
    answer_.kept.leave_room();
    bound_case bound(c, inputs, device, stream_, limits_, &answer_.kept);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    clock.spent_on(case_phase::buffers);
    measurement result;
    try {
      result = c.unchecked ? run_unchecked(c, bound, inputs, rule, clock)
                           : run_checked(c, device, bound, work, inputs, rule, clock);
    } catch (const wrong_output& wrong) {
      clock.spent_on(case_phase::checks);
      result = {"wrong", wrong.what(), {}};
    }
    result.spent = clock.spent();
    return result;
  }

  /// What was kept of earlier cases takes no memory from one that needs it.
  cuda_buffers buffers_for(const suite_case& c, const workload& work, const input_library& inputs) {
    const std::vector<buffer> buffers = c.operation->buffers_of(c.variant, c.axes, inputs);
    try {
      return cuda_buffers(buffers, work, copies(c, buffers));
    } catch (const out_of_memory&) {
      if (!answer_.right.bytes) throw;
    }
    answer_ = {};
    return cuda_buffers(buffers, work, copies(c, buffers));
  }

  /// Where a variant is the oracle: launches it once on the case's own buffers and has the workload learn its
  /// outputs.
  void learn_answer(const suite_case& c, const workload& work, const input_library& inputs,
                    cuda_buffers& device) const {
    if (!work.learn) return;
    const variant_facts& oracle = *c.operation->find_variant(work.oracle_variant);
    launcher to(stream_, limits_);
    device.reset_all(stream_);
    c.operation->bind(oracle, c.axes, inputs, device.addresses(0, false))(to);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    work.learn(device.download());
  }

  measurement run_checked(const suite_case& c, cuda_buffers& device, bound_case& bound, const workload& work,
                          const input_library& inputs, const sampling& rule, case_clock& clock) {
    const std::vector<std::uint64_t> inputs_before = device.input_digests(stream_);
    learn_answer(c, work, inputs, device);
    output_check check(work, &answer_.right, c.variant->same_bits,
                       [&] { learn_answer(c, work, inputs, device); });
    launch_and_check(bound.launch_function(), bound, check, "before timing");
    nlohmann::ordered_json instrumented;
    if (work.read_instruments) {
      const auto instrumented_form = c.operation->bind(*c.variant, c.axes, inputs, device.addresses(0, true));
      launch_and_check(instrumented_form, bound, check, "instrumented form");
      instrumented = work.read_instruments(device.instruments());
    }

    clock.spent_on(case_phase::checks);
    const timed_case time = time_case(c, bound, inputs, rule);
    clock.spent_on(case_phase::samples);
    const std::string_view timed_launches = check_timed_outputs(bound, time.samples, check);

    launch_and_check(bound.launch_function(), bound, check, "after timing");
    expect_same_inputs(device, inputs_before);
    const nlohmann::ordered_json checked = check.json(timed_launches, check.last());
    nlohmann::ordered_json figures;
    add_figures(c, work, check.last().pointers(), figures);
    clock.spent_on(case_phase::checks);

    const nlohmann::ordered_json kernels = kernels_of(bound.launch_function());
    const nlohmann::ordered_json counters = counters_of(c, device, bound, check, kernels);
    clock.spent_on(case_phase::counters);
    measurement result{"ok",
                       "",
                       {{"time_us", to_json(time.samples)},
                        {"counters", counters},
                        {"kernels", kernels},
                        {"instrumented", instrumented},
                        {"check", checked},
                        {"device_state", time.device_state}}};
    result.facts.update(figures);
    if (c.timeline && sampler_ && !sampler_->why_not()) add_timeline(c, device, bound, check, result.facts);
    if (c.sampled && ranges_) add_sampled(c, inputs, device, bound, check, result.facts);
    clock.spent_on(case_phase::sampling);
    return result;
  }

  /// Inputs are never filled again: what a launch changes there, later ones would find, such as rows that are
  /// sorted already. Throws wrong_output.
  void expect_same_inputs(cuda_buffers& device, std::span<const std::uint64_t> before) const {
    for (std::size_t set = 0; set < device.sets(); ++set) device.restore_inputs(stream_, set);
    const std::string written = device.differing_input(before, device.input_digests(stream_));
    if (!written.empty())
      throw wrong_output("after timing: the input '" + written + "' was written to; expected it as it was");
  }

  struct timed_case {
    timed samples;
    nlohmann::ordered_json device_state;  ///< null if it cannot be read
  };

  timed_case time_case(const suite_case& c, const bound_case& bound, const input_library& inputs,
                       const sampling& rule) {
    const nlohmann::ordered_json before = state();
    const auto time = [&](const timed_region& of) { return time_region(c, of, inputs, rule); };
    const bool is_cold = c.state == cache_state::cold_clean;
    for (std::size_t set = 0; set < bound.sets(); ++set) bound.restore(set);
    if (!is_cold) bound.change_inputs();  // once: within a batch a change would be timed
    const timed_region region = bound.region(is_cold);
    timed_case out;
    out.samples =
        c.injected_delay_pct > 0 ? time_delayed(region, stream_, c.injected_delay_pct, time) : time(region);
    const double clock_mhz = measured_sm_clock_mhz(stream_);
    if (!before.is_null())
      out.device_state = {{"before", before}, {"after", state()}, {"timed_sm_clock_mhz", clock_mhz}};
    return out;
  }

  /// For a gate's launch: correctness was checked before, and every second counts.
  measurement run_unchecked(const suite_case& c, const bound_case& bound, const input_library& inputs,
                            const sampling& rule, case_clock& clock) {
    const timed_case time = time_case(c, bound, inputs, rule);
    clock.spent_on(case_phase::samples);
    return {"ok",
            "",
            {{"time_us", to_json(time.samples)},
             {"counters", no_counters_json(std::string(no_counters), "a launch of a gate has no counters")},
             {"kernels", kernels_of(bound.launch_function())},
             {"instrumented", nullptr},
             {"quality", nullptr},
             {"check", not_checked_json()},
             {"device_state", time.device_state}}};
  }

  timed time_region(const suite_case& c, const timed_region& region, const input_library& inputs,
                    const sampling& rule) {
    const clock_wait waiting{c.steady_clock_s, power_cap_w_, [this] { return nvml_.load(); }};
    const clock_wait* wait = c.steady_clock_s > 0 ? &waiting : nullptr;
    if (c.state != cache_state::cold_clean) return time_graph_batches(region, stream_, limits_, rule, wait);
    const region_clock clock = c.operation->clock(c.axes, inputs);
    if (clock == region_clock::device) return time_cold_clean(region, stream_, limits_, flush_, rule, wait);
    return time_on_host_clock(region, stream_, limits_, flush_, clock == region_clock::host_graph, rule,
                              wait);
  }

  /// Restores the first set of buffers, puts the caches into the case's state, and waits.
  void prepare(const suite_case& c, const cuda_buffers& device, const bound_case& bound) const {
    constexpr int launches_until_hot = 3;
    bound.restore();
    if (c.state == cache_state::cold_clean) flush_.enqueue(stream_);
    if (c.state == cache_state::hot) {
      for (int i = 0; i < launches_until_hot; ++i) bound.launch();
      device.reset_zeros(stream_);
    }
    for (std::size_t set = 1; set < bound.sets(); ++set) bound.launch(set);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  nlohmann::ordered_json counters_of(const suite_case& c, cuda_buffers& device, bound_case& bound,
                                     output_check& check, const nlohmann::ordered_json& kernels) {
    if (c.counters == no_counters || !profiler_)
      return no_counters_json(std::string(no_counters), "no counters were requested");
    profiled_case profiled;
    for (const auto& kernel : kernels) profiled.kernels.push_back(kernel.at("name"));
    profiled.prepare = [&] { prepare(c, device, bound); };
    profiled.launch = [&] {
      bound.launch();
      ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    };
    profiled.expect_right_output = [&](const std::string& group) {
      check.expect_right(bound.outputs(), "while counters of group '" + group + "' were read");
    };
    return profiler_->collect(c.counters, profiled);
  }

  /// If no timeline can be taken, it is left out and the case keeps its times.
  void add_timeline(const suite_case& c, const cuda_buffers& device, bound_case& bound, output_check& check,
                    nlohmann::ordered_json& facts) {
    std::vector<std::string> kernels;
    for (const auto& kernel : facts.at("kernels")) kernels.push_back(kernel.at("name"));
    sampled_case sampled;
    sampled.kernels = kernel_shares(kernels, facts.at("counters"));
    sampled.launch_us = facts.at("time_us").at("median");
    sampled.prepare = [&] { prepare(c, device, bound); };
    sampled.enqueue = [&] { bound.launch(); };
    sampled.only_once = bound.has_ahead();
    if (profiler_) profiler_->release();
    try {
      facts["timeline"] = sampler_->collect(sampled, stream_);
    } catch (const counters_unavailable& why) {
      facts["timeline"] = nullptr;
      facts["timeline_reason"] = why.what();
      return;
    }
    if (facts["timeline"].at("loops") == 1 || !bound.accumulates())
      check.expect_right(bound.outputs(), "while a timeline was sampled");
  }

  /// How the case is launched where its clock is the host's: as it is timed.
  std::function<void()> launch_as_timed(const suite_case& c, const input_library& inputs,
                                        const bound_case& bound) const {
    if (c.state == cache_state::cold_clean &&
        c.operation->clock(c.axes, inputs) == region_clock::host_graph) {
      const auto graph = std::make_shared<launch_graph>(bound.region(false), stream_, limits_, 1);
      return [this, graph] { graph->launch(stream_); };
    }
    return [&bound] { bound.launch(); };
  }

  /// Each on an idle device, between two stamps that leave no time out but that of the first launch's way to
  /// the device.
  std::vector<device_range> run_marked(const suite_case& c, const cuda_buffers& device,
                                       const bound_case& bound, const std::function<void()>& launch,
                                       const device_marks& marks) const {
    for (std::size_t i = 0; i < forwards_a_round; ++i) {
      prepare(c, device, bound);
      const nvtx_range range(c.operation->name);
      marks.enqueue_stamp(stream_, 2 * i);
      launch();
      marks.enqueue_stamp(stream_, 2 * i + 1);
      ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    }
    const std::vector<std::uint64_t> stamps = marks.stamps();
    std::vector<device_range> out;
    for (std::size_t i = 0; i < stamps.size(); i += 2) out.push_back({stamps[i], stamps[i + 1]});
    return out;
  }

  /// If nothing can be sampled, that is said and the case keeps its times.
  void add_sampled(const suite_case& c, const input_library& inputs, const cuda_buffers& device,
                   bound_case& bound, output_check& check, nlohmann::ordered_json& facts) {
    if (profiler_) profiler_->release();
    try {
      if (ranges_->why_not()) throw counters_unavailable(*ranges_->why_not());
      const device_marks marks(index_, 2 * forwards_a_round);
      const std::function<void()> launch = launch_as_timed(c, inputs, bound);
      const sampled_ranges ranges =
          sample_forwards(*ranges_, [&] { return run_marked(c, device, bound, launch, marks); });
      facts["sampled"] = sampled_json(ranges_->keys(), ranges);
    } catch (const counters_unavailable& why) {
      facts["sampled"] = nullptr;
      facts["sampled_reason"] = why.what();
      return;
    }
    check.expect_right(bound.outputs(), "while forwards were sampled");
  }

  nlohmann::ordered_json launch_for_profiler(const suite_case& c, const workload& work,
                                             const input_library& inputs) {
    l2_.restore(stream_);
    const std::vector<buffer> buffers = c.operation->buffers_of(c.variant, c.axes, inputs);
    cuda_buffers device(buffers, work, copies(c, buffers));
    bound_case bound(c, inputs, device, stream_, limits_);
    learn_answer(c, work, inputs, device);
    bound.restore();
    bound.launch();  // loads the code
    prepare(c, device, bound);
    ABLATE_CUDA_CHECK(cudaProfilerStart());
    bound.launch();
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    ABLATE_CUDA_CHECK(cudaProfilerStop());
    host_outputs found = device.room();
    bound.outputs().copy_to(found);
    const check_result output = work.check(found.pointers());
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const auto& kernel : kernels_of(bound.launch_function())) names.push_back(kernel.at("name"));
    return {{"name", c.id}, {"kernels", names}, {"output", output.ok ? "ok" : "differs"}};
  }

  static nlohmann::ordered_json announcement_of(const kernel_launch& kernel) {
    nlohmann::ordered_json said{{"kernel", describe(kernel).at("name")}};
    // Of a kernel that was loaded from a file the runtime knows nothing.
    if (kernel.function == nullptr || !kernel.symbol.empty()) return said;
    cudaFuncAttributes attributes;
    ABLATE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel.function));
    said["shared_bytes"] = attributes.sharedSizeBytes + kernel.dynamic_shared_bytes;
    return said;
  }

  nlohmann::ordered_json launch_for_sanitizer(
      const suite_case& c, const workload& work, const input_library& inputs, bool poisoned,
      const std::function<void(const nlohmann::ordered_json&)>& announce) {
    const operation& op = *c.operation;
    if (work.learn) {
      // On memory of its own, that the case's may stay unwritten.
      cuda_buffers apart(op.buffers_of(c.variant, c.axes, inputs), work, 1);
      learn_answer(c, work, inputs, apart);
    }
    cuda_buffers device(op.buffers_of(c.variant, c.axes, inputs), work, 1,
                        poisoned ? fresh_memory::poison : fresh_memory::unwritten);
    launcher to(stream_, limits_);
    to.announce_to([&](const kernel_launch& kernel) { announce(announcement_of(kernel)); });
    const auto run = [&](const std::function<void(launcher&)>& what) {
      if (what) what(to);
    };
    const std::vector<void*> at = device.addresses(0, false);
    run(op.bind_fill(c.variant, c.axes, inputs, at));
    const auto launch_once = [&](bool instrumented) {
      if (poisoned)
        device.reset_all(stream_);
      else
        device.reset_counted_on(stream_);
      run(op.bind_ahead(*c.variant, c.axes, inputs, at));
      run(op.bind(*c.variant, c.axes, inputs, device.addresses(0, instrumented)));
      run(op.bind_readback(*c.variant, c.axes, inputs, at));
      ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
      device.download(0);
      return work.check(device.downloaded().pointers());
    };
    check_result output = launch_once(false);
    if (output.ok && work.read_instruments) output = launch_once(true);
    nlohmann::ordered_json said{{"name", c.id}, {"output", output.ok ? "ok" : "differs"}};
    if (!output.ok) said["message"] = output.message;
    return said;
  }

  /// Rotating cycles through enough buffer sets that none is still in L2 when its turn comes again.
  std::size_t copies(const suite_case& c, const std::vector<buffer>& buffers) const {
    if (c.state != cache_state::rotating) return 1;
    const std::size_t wanted = 3 * static_cast<std::size_t>(properties_.l2CacheSize);
    return wanted / std::max<std::size_t>(footprint(buffers), 1) + 1;
  }

  /// Throws wrong_output.
  void launch_and_check(const std::function<void(launcher&)>& launch, bound_case& bound, output_check& check,
                        const char* when) const {
    launcher to(stream_, limits_);
    bound.restore();
    launch(to);
    check.expect_right(bound.outputs(), when);
  }

  nlohmann::ordered_json kernels_of(const std::function<void(launcher&)>& launch) const {
    launcher describing = launcher::describing_libraries(limits_);
    launch(describing);
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const kernel_launch& described : describing.described()) kernels.push_back(describe(described));
    return kernels;
  }

  nlohmann::ordered_json state() const {
    return nvml_.available() ? to_json(nvml_.state()) : nlohmann::ordered_json();
  }

  /// The first outputs of a workload that were right.
  struct workload_answer {
    right_outputs right;
    kept_outputs kept;
  };

  int index_;
  cudaDeviceProp properties_;
  device_limits limits_;
  stream stream_;
  l2_flush flush_;
  l2_persistence l2_;
  nvml nvml_;
  std::optional<double> power_cap_w_;
  std::uint64_t workload_ = 0;             ///< begin_workload
  workload_answer answer_;                 ///< of this workload, if it has a number, or of the case alone
  std::optional<case_profiler> profiler_;  ///< if counters were requested
  std::optional<case_sampler> sampler_;    ///< if a timeline was
  std::optional<range_sampler> ranges_;    ///< if sampled forwards were
};

}  // namespace

std::unique_ptr<executor> make_cuda_executor(int index, const profiling_request& wanted) {
  return std::make_unique<cuda_executor>(index, wanted);
}

}  // namespace ablate
