// Clears the grid, 4·batch·cells bytes of stores.
#include "kernels/common/fill.h"
#include "kernels/common/switches.h"
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Launched before every variant; does nothing unless clearing belongs to the region and the variant does not
/// write every counter itself.
void clear_grid(launcher& to, const problem& p, const switches& s) {
  if (p.clears_grid && !s.has("clears")) fill(to, {{p.grid, p.all_cells(), 0}});
}

}  // namespace ablate::voxelize
