#pragma once

#include "kernels/common/launcher.h"
#include "kernels/multimodal_fusion/multimodal_fusion.h"

namespace ablate::multimodal_fusion {

/// Where a target's places in the streams and their weights are.
enum class brackets_in { registers, shared };
/// Where searches read the streams' times.
enum class times_in { global, shared };

/// A launch per stream. Brackets in shared memory come with times there.
void resample_streams(launcher&, const problem&, brackets_in, times_in);

/// One launch for all of them: times in device memory, or with those of all streams in shared memory.
void fuse_by_lanes(launcher&, const problem&);
void fuse_by_brackets(launcher&, const problem&);
void fuse_by_shared_times(launcher&, const problem&, brackets_in);

}  // namespace ablate::multimodal_fusion
