// The expansion in the published order, by offset, with several ways of inserting and numbering: see
// steps.cuh. Should move: atomics per sum, from one per slot probed (cas_first) to one per new row
// (load_first). And those on the one counter: from one per new row (load_first_one_by_one) to one for all
// lanes of a warp that arrive together, which is what ptxas makes of the addition, to one per warp
// (load_first_aggregated). The instrumented forms count additions before ptxas merges any.
#include "kernels/coordinate_expand/steps.cuh"

namespace ablate::coordinate_expand {

step cas_first_by_offset() { return add_step<insertion::cas_first, by_offset, numbering::each>; }
step cas_first_by_offset_aggregated() {
  return add_step<insertion::cas_first, by_offset, numbering::by_warp>;
}
step load_first_by_offset() { return add_step<insertion::load_first, by_offset, numbering::each>; }
step load_first_by_offset_one_by_one() {
  return add_step<insertion::load_first, by_offset, numbering::one_by_one>;
}
step load_first_by_offset_aggregated() {
  return add_step<insertion::load_first, by_offset, numbering::by_warp>;
}

}  // namespace ablate::coordinate_expand
