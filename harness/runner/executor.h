#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/device_errors.h"  // what a run throws
#include "harness/registry/operation.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What a case gave: the status, and the keys that a measured case adds to its entry in the record
/// (reports/schema/record.schema.json).
struct measurement {
  std::string status;            ///< ok or wrong; every other status comes from the runner
  std::string reason;            ///< for wrong
  nlohmann::ordered_json facts;  ///< time_us, counters, timeline, kernels, instrumented, quality,
                                 ///< picture, check, device_state
};

/// Adds what the workload has to say of a right output to a case's facts: `quality`, null where the operation
/// has none, and `picture` where the case asks for one.
void add_figures(const suite_case&, const workload&, std::span<const std::byte* const> outputs,
                 nlohmann::ordered_json& facts);

/// What a run asks for beside times; what nobody asks for is not even opened.
struct profiling_request {
  bool counters = false;
  bool timeline = false;
};

/// Runs cases on one device. The seam at which tests put a scripted device.
class executor {
 public:
  virtual ~executor() = default;
  /// The `device` object of the record's context, and the rungs of the ladder of evidence.
  virtual nlohmann::ordered_json device_facts() = 0;
  virtual nlohmann::ordered_json evidence() = 0;
  /// Checks, warms up, times, checks what the timed launches left and one more launch (and takes quality and
  /// picture from its output), then reads the case's counters and timeline, under which outputs are checked
  /// too. Throws out_of_memory, device_lost, or anything else for `failed`.
  virtual measurement run(const suite_case&, const workload&, const input_library&, const sampling&) = 0;
  /// For a profiler outside this program: launches the case once in its cache state, alone between
  /// cudaProfilerStart and cudaProfilerStop, and compares its output. Returns {name, kernels, output}. Throws
  /// as `run` does, and where there is no GPU.
  virtual nlohmann::ordered_json launch_once(const suite_case&, const workload&, const input_library&);
  /// For a sanitizer: launches the case on memory in which nothing was written but its inputs and what it
  /// counts on (zeros to add to, say), or, `poisoned`, everything as before a run's launches, where the tool
  /// does not see the case's writes; without warm-up or flush, and its instrumented form where it has one;
  /// gives every kernel to `announce` ahead of its launch, which is then waited for: {kernel, its name;
  /// shared_bytes of a block, not of a library's kernel}. Returns {name, output}, and `message` where the
  /// output differs. Throws as `run` does, and where there is no GPU.
  virtual nlohmann::ordered_json launch_bare(
      const suite_case&, const workload&, const input_library&, bool poisoned,
      const std::function<void(const nlohmann::ordered_json&)>& announce);
};

/// Runs the host reference of each operation.
std::unique_ptr<executor> make_host_executor();

/// What the program knows of one GPU before using it.
struct gpu_summary {
  int index = 0;
  std::string name;
  int compute_capability = 0;
  std::string uuid = {};
  std::string driver = {};  ///< its version
};

/// Which process starts CUDA to ask for GPUs. It does not survive a fork, so what forks workers later on asks
/// in a child; what runs kernels itself asks in its own process, since tools that watch those (sanitizers)
/// do not bear the fork.
enum class asked_in { a_child, this_process };

/// The CUDA side of the program; absent in a build without CUDA.
struct cuda_backend {
  std::function<std::vector<gpu_summary>(asked_in, std::string& why_none)> gpus;
  std::function<std::unique_ptr<executor>(int index, const profiling_request&)> make_executor;
};

/// Called before main by the CUDA part where it is linked.
bool register_cuda_backend(cuda_backend);
/// Null in a build without CUDA.
const cuda_backend* find_cuda_backend();
/// The GPU that CUDA counts as `index`, with the compute capability that this build can use. Throws
/// bad_input, saying why when there is none at all.
gpu_summary gpu_at(const cuda_backend&, int index, asked_in = asked_in::a_child);

}  // namespace ablate
