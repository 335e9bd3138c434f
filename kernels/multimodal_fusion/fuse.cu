// The kernels by their switches: one launch or one per stream, brackets and times where they say.
#include "kernels/common/switches.h"
#include "kernels/multimodal_fusion/launches.h"
#include "kernels/multimodal_fusion/parts.h"

namespace ablate::multimodal_fusion {

void fuse(launcher& to, const problem& p, const switches& s) {
  const auto brackets = s.word("brackets") == "shared" ? brackets_in::shared : brackets_in::registers;
  const auto times = s.word("times") == "shared" ? times_in::shared : times_in::global;
  if (s.word("launches") == "3") return resample_streams(to, p, brackets, times);
  if (times == times_in::shared) return fuse_by_shared_times(to, p, brackets);
  brackets == brackets_in::shared ? fuse_by_brackets(to, p) : fuse_by_lanes(to, p);
}

}  // namespace ablate::multimodal_fusion
