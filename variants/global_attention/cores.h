#pragma once

#include "kernels/common/switches.h"

// Which kernel attends to all rows (kernels/global_attention/forms.h).

namespace ablate::global_attention {

inline switches by_mma() { return {{"core", "mma"}}; }
inline switches by_warpgroups() {
  return {{"core", "hopper"}, {"groups", "by_rows"}, {"first_keys", "lowest"}};
}

}  // namespace ablate::global_attention
