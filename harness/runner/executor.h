#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "harness/counters/device_sampler.h"
#include "harness/device/device_errors.h"  // what a run throws
#include "harness/registry/operation.h"
#include "harness/runner/case_phases.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The result of a case.
struct measurement {
  std::string status;       ///< ok or wrong; the runner sets every other status
  std::string reason = {};  ///< for wrong
  /// What launches showed: time, counters, timeline, sampled, energy, kernels, instrumented, quality,
  /// picture, check and device_state. The runner adds what the case is.
  measured_case facts = {};
  case_phases spent = {};  ///< of the run's time
};

/// Adds the workload's figures for a correct output to a case's facts: `quality`, empty if the operation has
/// none, and `picture` if the case requests one. They are the operation's own, a plug-in's too, which gives
/// them as JSON. Throws bad_input for what a record cannot hold.
void add_figures(const suite_case&, const workload&, std::span<const std::byte* const> outputs,
                 measured_case& facts);
/// The same of what the operation reads from its instrumented form.
named_figures figures_of(const nlohmann::ordered_json&, const char* key);

/// What a run collects besides times; profilers that are not requested are not even opened.
struct profiling_request {
  bool counters = false;
  bool timeline = false;
  bool sampled = false;
  bool energy = false;
};

/// A case that stays on its device with its buffers, to be timed or kept at work again and again. Nothing is
/// checked. Throws what `executor::run` throws.
class held_case {
 public:
  virtual ~held_case() = default;
  /// Its median.
  virtual double time_us(const sampling&) = 0;
  /// Keeps the device at work on it until `is_over`, which is asked again and again once it is; for what that
  /// does to its neighbors.
  virtual void keep_busy(const sampling&, const std::function<bool()>& is_over) = 0;
};

/// Runs cases on one device. Tests substitute a scripted device here.
class executor {
 public:
  virtual ~executor() = default;
  /// The `device` object of the record's context, JSON because each kind of device says what it can; and the
  /// rungs of the evidence ladder.
  virtual nlohmann::ordered_json device_facts() = 0;
  virtual std::vector<record::evidence_rung> evidence() = 0;
  /// Checks, warms up and times the case, checks the output of the timed launches and of one more launch
  /// (which also gives quality and picture), then reads counters, timeline and samples, checking outputs
  /// there too. Throws out_of_memory, device_lost, or anything else for `failed`.
  virtual measurement run(const suite_case&, const workload&, const input_library&, const sampling&) = 0;
  /// The cases that follow are of one workload, until the next call: each may compare its outputs with what
  /// was right of another. 0, as before the first call: nothing is known of them.
  virtual void begin_workload(std::uint64_t /*number*/) {}
  /// All of these must outlive what is held; by default it is run each time.
  virtual std::unique_ptr<held_case> hold(const suite_case&, const workload&, const input_library&);
  /// For an external profiler: launches the case once in its cache state, alone between cudaProfilerStart and
  /// cudaProfilerStop, and compares its output. Returns {name, kernels, output}. Throws as `run` does, and if
  /// there is no GPU.
  virtual nlohmann::ordered_json launch_once(const suite_case&, const workload&, const input_library&);
  /// For a sanitizer: launches the case, and its instrumented form if it has one, without warm-up or flush,
  /// on memory holding only its inputs and the contents it depends on (such as zeros to accumulate into). If
  /// `poisoned`, for a tool that does not see the case's writes, all buffers are set up as before a run's
  /// launches, and scratch that nothing fills holds poison. Passes every kernel to `announce` before
  /// launching it and waits for it: {kernel: its name; shared_bytes: per block, omitted for a library's
  /// kernel}. Returns {name, output}, and `message` if the output differs. Throws as `run` does, and if there
  /// is no GPU.
  virtual nlohmann::ordered_json launch_bare(
      const suite_case&, const workload&, const input_library&, bool poisoned,
      const std::function<void(const nlohmann::ordered_json&)>& announce);
};

/// Runs the host reference of each operation.
std::unique_ptr<executor> make_host_executor();

/// What the program knows about a GPU before using it.
struct gpu_summary {
  int index = 0;
  std::string name;
  int compute_capability = 0;
  std::string uuid = {};
  std::string driver = {};      ///< driver version
  std::string pci_bus_id = {};  ///< as in sysfs: 0000:1b:00.0
};

/// Which process initializes CUDA to enumerate GPUs. CUDA does not survive a fork, so a program that later
/// forks workers enumerates in a child; one that runs kernels itself does so in its own process, since tools
/// that watch them (sanitizers) do not tolerate the fork.
enum class asked_in { a_child, this_process };

/// The CUDA side of the program; absent in a build without CUDA.
struct cuda_backend {
  std::function<std::vector<gpu_summary>(asked_in, std::string& why_none)> gpus;
  std::function<std::unique_ptr<executor>(int index, const profiling_request&)> make_executor;
  /// For work of other processes on the GPU. Throws counters_unavailable.
  std::function<std::unique_ptr<device_sampler>(int index)> make_sampler;
};

/// Called before main by the CUDA part, if it is linked in.
bool register_cuda_backend(cuda_backend);
/// Null in a build without CUDA.
const cuda_backend* find_cuda_backend();
/// The GPU with CUDA device index `index`, with the compute capability that this build can use. Throws
/// bad_input, which says why if there is no GPU at all.
gpu_summary gpu_at(const cuda_backend&, int index, asked_in = asked_in::a_child);

}  // namespace ablate
