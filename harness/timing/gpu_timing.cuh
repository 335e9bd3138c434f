#pragma once

#include <functional>
#include <vector>

#include "harness/device/l2_flush.cuh"
#include "harness/timing/sample_watch.cuh"
#include "harness/timing/timed.h"
#include "kernels/common/launcher.h"

namespace ablate {

/// What is timed on a GPU.
struct timed_region {
  /// Launches the case once; one closure for each set of its buffers (more than one only when rotating).
  std::vector<std::function<void(launcher&)>> launches;
  /// Enqueues what brings the first set of buffers back to where a launch begins; may be empty. Never timed,
  /// and ahead of the flush of L2, which leaves nothing of it there; batches do without.
  std::function<void(cudaStream_t)> reset = {};
  /// Launches what is done before the region begins, each time after `reset`; may be empty, as it must be for
  /// batches. Never timed.
  std::function<void(launcher&)> ahead = {};
  /// Enqueues what ends every sample, behind its launches and timed with them; may be empty: an injected
  /// delay.
  std::function<void(cudaStream_t)> at_end = {};
};

// Each of these samples until the stopping rule is satisfied; given a wait, not before the SM clock is
// steady (steady_clock.h).

/// `cold-clean`: one launch a sample, between two events. Before it the reset, what goes ahead of the region,
/// the flush of L2, and a spin kernel before the first event so that the host's launches are all enqueued
/// when the region starts. A sample for which they were not is dropped and taken again behind a longer spin.
timed time_cold_clean(const timed_region&, cudaStream_t, const device_limits&, const l2_flush&,
                      const sampling&, const clock_wait* = nullptr);

/// `cold-clean` where the host takes part: its steady clock, from the first call on an idle device until the
/// device is idle again. The reset, what goes ahead and the flush of L2 before each sample as above.
/// `as_graph`: the region is launched as one CUDA graph, which was made beforehand.
timed time_on_host_clock(const timed_region&, cudaStream_t, const device_limits&, const l2_flush&,
                         bool as_graph, const sampling&, const clock_wait* = nullptr);

/// `hot` and `rotating`: batches of launches in a CUDA graph, one batch a sample; the sample is the batch's
/// time over its number of launches. A batch that was not all enqueued when it began is dropped, as above.
/// With several sets of buffers, consecutive launches take them in turn.
/// Throws std::logic_error where something goes ahead.
timed time_graph_batches(const timed_region&, cudaStream_t, const device_limits&, const sampling&,
                         const clock_wait* = nullptr);

}  // namespace ablate
