// Dense attention against plain arithmetic on the device, and its inputs, made there. Nothing here is
// measured.
#include "kernels/common/switches.h"
#include "oracles/compression_attention/launches.h"
#include "oracles/dense_attention/launches.h"
#include "oracles/global_attention/launches.h"

namespace ablate::dense_attention {

void compare_with_plain(launcher& to, const checked_problem& p, const switches&) {
  compression_attention::compare_with_plain(to, checked_attention_of(p), {});
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  global_attention::make_inputs(to, p.as_layer());
}

}  // namespace ablate::dense_attention
