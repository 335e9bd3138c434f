#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/counters/counter_host.h"

namespace ablate {

/// Reads hardware counters kernel by kernel (auto range) on the GPU whose context is current, in passes that
/// the caller repeats (user replay). Created once per run. It stays enabled for the group opened last;
/// opening another costs about 0.2 s (on an H200), since CUPTI keeps a session's first configuration until it
/// ends.
class range_profiler {
 public:
  /// `device` is the CUDA ordinal. Throws counters_unavailable if the counters cannot be read.
  explicit range_profiler(int device);
  ~range_profiler();
  range_profiler(const range_profiler&) = delete;

  /// CUPTI's name for it: GH100.
  const std::string& silicon() const;

  /// Prepares to collect this group over that many kernels; a no-op if it is already open. Calls `prepare`
  /// and `launch` once, since the first collection of a session leaves its own traces in L2. Throws
  /// counters_unavailable, also if the group takes more than one pass, and whatever the two functions throw.
  void open(const counter_group&, std::size_t kernels, const std::function<void()>& prepare,
            const std::function<void()>& launch);

  /// Calls `launch`, which launches exactly `kernels` kernels and waits for them, and returns one row of
  /// values per kernel in launch order, each in the order of the open group's metrics_on(silicon()); NaN
  /// where none was read. Everything launched on this context meanwhile becomes a range. Throws
  /// counters_unavailable if CUPTI refuses or the number of ranges differs from the number of kernels, and
  /// whatever `launch` throws.
  std::vector<std::vector<double>> collect(std::size_t kernels, const std::function<void()>& launch);

  /// Releases the counters to other users of this GPU until the next `open`.
  void release();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace ablate
