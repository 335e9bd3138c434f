#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "harness/device/l2_flush.cuh"
#include "harness/timing/sample_watch.cuh"
#include "harness/timing/timed.h"
#include "kernels/common/launcher.h"

namespace ablate {

/// The work to be timed on a GPU.
struct timed_region {
  /// Launches the case once; one closure per buffer set (more than one only when rotating).
  std::vector<std::function<void(launcher&)>> launches;
  /// Enqueues the reset of the first buffer set to its state before a launch; may be empty. Never timed, and
  /// placed before the L2 flush, which evicts all traces of it; not used by batches.
  std::function<void(cudaStream_t)> reset = {};
  /// Launches the work that precedes the region, each time after `reset`; may be empty, and must be for
  /// batches. Never timed.
  std::function<void(launcher&)> ahead = {};
  /// Enqueues work at the end of every sample, after its launches and timed with them: an injected delay; may
  /// be empty.
  std::function<void(cudaStream_t)> at_end = {};
};

// Each of these samples until the stopping rule is satisfied and, given a wait, the SM clock is steady or the
// wait is over (steady_clock.h).

/// `cold-clean`: one launch per sample, between two events. It is preceded by the reset, `ahead`, the L2
/// flush, and a spin kernel before the first event, so that all of the host's launches are enqueued when the
/// region starts. A sample for which they were not is dropped and retaken after a longer spin.
timed time_cold_clean(const timed_region&, cudaStream_t, const device_limits&, const l2_flush&,
                      const sampling&, const clock_wait* = nullptr);

/// `cold-clean` for a region that involves the host: timed by its steady clock, from the first call on an
/// idle device until the device is idle again. Reset, `ahead` and L2 flush before each sample as above.
/// `as_graph`: the region is launched as one CUDA graph, built beforehand.
timed time_on_host_clock(const timed_region&, cudaStream_t, const device_limits&, const l2_flush&,
                         bool as_graph, const sampling&, const clock_wait* = nullptr);

/// `hot` and `rotating`: batches of launches in a CUDA graph, one batch per sample; the sample is the batch's
/// time divided by its number of launches. A batch not fully enqueued when it began is dropped, as above.
/// With several buffer sets, consecutive launches take them in turn. Throws std::logic_error if the region
/// has an `ahead`.
timed time_graph_batches(const timed_region&, cudaStream_t, const device_limits&, const sampling&,
                         const clock_wait* = nullptr);

}  // namespace ablate
