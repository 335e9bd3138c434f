// Three launches, one per stream, of trajectory_resample's per_target: one search per target by one lane of a
// warp, times in device memory. Each writes its own part of the rows of out.
// Idea: none; it is what a framework does that resamples streams one by one. Should move, against one launch:
// time, by two launches; a stream of 6 channels keeps 6 of 32 lanes busy either way.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/multimodal_fusion/launches.h"
#include "kernels/multimodal_fusion/multimodal_fusion.h"
#include "kernels/trajectory_resample/launches.h"

namespace ablate::multimodal_fusion {

void launch_per_stream(launcher& to, const problem& p, const switches& s) {
  for (int which = 0; which < stream_count; ++which)
    trajectory_resample::per_target(to, resampling_of(p, which), s);
}

}  // namespace ablate::multimodal_fusion
