#include "kernels/common/memory_cutter.h"
#include "kernels/voxel_pipeline/voxel_pipeline.h"

namespace ablate::voxel_pipeline {

scratch::scratch(const problem& p) {
  memory_cutter memory{static_cast<std::byte*>(p.scratch)};
  memory.cut(tallies, p.voxels());
  memory.cut(kept, p.voxels());
  bytes = memory.used;
}

std::size_t scratch_bytes(const problem& p) { return scratch(p).bytes; }

}  // namespace ablate::voxel_pipeline
