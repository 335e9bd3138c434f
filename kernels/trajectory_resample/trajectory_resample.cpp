#include "kernels/trajectory_resample/trajectory_resample.h"

#include <limits>

namespace ablate::trajectory_resample {

weight_limits limits_of(outside beyond) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {beyond == outside::extrapolate ? -infinity : 0.0f, beyond == outside::clamp ? 1.0f : infinity};
}

}  // namespace ablate::trajectory_resample
