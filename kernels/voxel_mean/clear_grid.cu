// Clears means and counts, 4·batch·cells·(features + 1) bytes of stores.
#include "kernels/common/fill.h"
#include "kernels/common/switches.h"
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/voxel_mean.h"

namespace ablate::voxel_mean {

/// Launched before every variant; does nothing unless clearing belongs to the region, or if the variant
/// clears the grid itself.
void clear_grid(launcher& to, const problem& p, const switches& s) {
  if (!p.clears_grid || s.has("clears")) return;
  fill(to, {{p.mean, p.all_cells() * p.features, 0}, {p.count, p.all_cells(), 0}});
}

}  // namespace ablate::voxel_mean
