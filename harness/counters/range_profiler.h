#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/counters/counter_host.h"

namespace ablate {

/// Reads counters of kernels on the GPU whose context is current, kernel by kernel (auto range), in passes
/// that the caller repeats (user replay). Made once a run. It stays enabled for the group that was opened
/// last; opening another costs some 0.2 s (on an H200), since CUPTI keeps the first configuration of a
/// session to its end.
class range_profiler {
 public:
  /// `device` as CUDA counts it. Throws counters_unavailable where the counters cannot be had.
  explicit range_profiler(int device);
  ~range_profiler();
  range_profiler(const range_profiler&) = delete;

  /// As CUPTI names it: GH100.
  const std::string& silicon() const;

  /// Makes ready to collect this group over that many kernels; nothing to do where it is open already. Calls
  /// `prepare` and `launch` once, since the first collection of a session leaves its own traces in L2. Throws
  /// counters_unavailable, also when the group takes more than one pass; and whatever the two throw.
  void open(const counter_group&, std::size_t kernels, const std::function<void()>& prepare,
            const std::function<void()>& launch);

  /// Calls `launch`, which launches exactly `kernels` kernels and waits for them, and returns one row of
  /// values a kernel in launch order, the open group's metrics_on(silicon()) in their order; not a number
  /// where none was read. Everything launched meanwhile on this context becomes a range. Throws
  /// counters_unavailable when CUPTI refuses or when the number of ranges is not that of the kernels; and
  /// whatever `launch` throws.
  std::vector<std::vector<double>> collect(std::size_t kernels, const std::function<void()>& launch);

  /// Gives the counters back to other users of this GPU until the next `open`.
  void release();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ablate
