// The expansion row by row, see steps.cuh: neighboring lanes hold the offsets of one row and of its
// neighbors, so where rows are neighbors in space and in memory a warp makes the same sum several times. Then
// `warp_deduplicated` sends one lane for each distinct sum to the table. (By offset it could not: 32 distinct
// rows and one offset make 32 distinct sums.) Should move: reads of keys, down by the share of equal sums.
#include "kernels/coordinate_expand/steps.cuh"

namespace ablate::coordinate_expand {

void load_first_by_row(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::load_first, by_row, numbering::each>);
}
void warp_deduplicated(launcher& to, const problem& p, const switches&) {
  expand_by_steps(to, p, add_step<insertion::warp_deduplicated, by_row, numbering::each>);
}

}  // namespace ablate::coordinate_expand
