// The expansion in the published order, by offset, with its ways of inserting and numbering: see steps.cuh.
// Should move: atomics a sum, from one for each slot on the way (cas_first) to one for each new row
// (load_first); and one for each warp with a new row on the counter (load_first_aggregated).
#include "kernels/coordinate_expand/steps.cuh"

namespace ablate::coordinate_expand {

void cas_first(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::cas_first, by_offset, numbering::each>);
}
void load_first(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::load_first, by_offset, numbering::each>);
}
void load_first_aggregated(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::load_first, by_offset, numbering::by_warp>);
}

}  // namespace ablate::coordinate_expand
