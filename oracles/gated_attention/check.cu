// The layer's parts against plain arithmetic on the device, each from what the one before it left. Nothing
// here is measured.
#include "kernels/common/switches.h"
#include "oracles/block_pooling/launches.h"
#include "oracles/compression_attention/launches.h"
#include "oracles/gated_attention/checked_block_pooling.h"
#include "oracles/gated_attention/checked_compression_attention.h"
#include "oracles/gated_attention/checked_selection_attention.h"
#include "oracles/gated_attention/launches.h"
#include "oracles/selection_attention/launches.h"

namespace ablate::gated_attention {

void compare_parts(launcher& to, const checked_problem& p, const switches&) {
  block_pooling::compare_with_plain(to, checked_pooling_of(p), {});
  if (p.stops_ahead) return;
  compression_attention::compare_with_plain(to, checked_compression_of(p), {});
  selection_attention::compare_with_plain(to, checked_selection_of(p), {});
}

}  // namespace ablate::gated_attention
