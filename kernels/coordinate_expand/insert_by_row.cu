// The expansion by row, see steps.cuh: neighboring lanes hold the offsets of one row and of its neighbors, so
// if rows are neighbors in both space and memory, a warp forms the same sum several times.
// `warp_deduplicated` then sends one lane per distinct sum to the table. (By offset it could not: 32 distinct
// rows and one offset make 32 distinct sums.) Should move: key reads, down by the share of equal sums.
#include "kernels/coordinate_expand/steps.cuh"

namespace ablate::coordinate_expand {

step cas_first_by_row() { return add_step<insertion::cas_first, by_row, numbering::each>; }
step load_first_by_row() { return add_step<insertion::load_first, by_row, numbering::each>; }
step load_first_by_row_aggregated() { return add_step<insertion::load_first, by_row, numbering::by_warp>; }
step warp_deduplicated_by_row() { return add_step<insertion::warp_deduplicated, by_row, numbering::each>; }

}  // namespace ablate::coordinate_expand
