// The expansion in the published order, by offset, with its ways of inserting and numbering: see steps.cuh.
// Should move: atomics a sum, from one for each slot on the way (cas_first) to one for each new row
// (load_first). And those on the one counter: from one for each new row (load_first_one_by_one) to one for
// the lanes of a warp that get there at once, which ptxas makes of the addition, to one for a warp
// (load_first_aggregated). The instrumented forms count additions before ptxas brings any together.
#include "kernels/coordinate_expand/steps.cuh"

namespace ablate::coordinate_expand {

void cas_first(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::cas_first, by_offset, numbering::each>);
}
void load_first(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::load_first, by_offset, numbering::each>);
}
void load_first_one_by_one(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::load_first, by_offset, numbering::one_by_one>);
}
void load_first_aggregated(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::load_first, by_offset, numbering::by_warp>);
}

}  // namespace ablate::coordinate_expand
