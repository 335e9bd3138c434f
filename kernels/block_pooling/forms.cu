// Pooling by switches: `steps`, a launch each or all in one; `warp`, what a warp pools in one launch. See
// each form's file.
#include "kernels/block_pooling/launches.h"
#include "kernels/common/switches.h"

namespace ablate::block_pooling {

void pool_blocks(launcher& to, const problem& p, const switches& s) {
  if (s.word("steps") == "launches") return separate(to, p, s);
  (s.word("warp") == "block" ? warps : rows)(to, p, s);
}

}  // namespace ablate::block_pooling
