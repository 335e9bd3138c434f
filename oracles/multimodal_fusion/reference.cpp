#include "oracles/multimodal_fusion/reference.h"

#include "oracles/trajectory_resample/reference.h"

namespace ablate::multimodal_fusion {

void reference(const problem& p) {
  for (int s = 0; s < stream_count; ++s) trajectory_resample::reference(resampling_of(p, s));
}

}  // namespace ablate::multimodal_fusion
