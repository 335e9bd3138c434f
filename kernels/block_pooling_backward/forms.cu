// Back through pooling by the form that `steps` names: a launch for each, or all in one. Each form's file
// says what it is and what should move.
#include "kernels/block_pooling_backward/launches.h"
#include "kernels/common/switches.h"

namespace ablate::block_pooling_backward {

void take_back(launcher& to, const problem& p, const switches& s) {
  (s.word("steps") == "launches" ? separate : warps)(to, p, s);
}

}  // namespace ablate::block_pooling_backward
