#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/voxelize/voxelize.h"

// The launch functions of voxelize, by the file that defines them.

namespace ablate::voxelize {

// atomic_exchange.cu
void atomic_exchange(launcher&, const problem&, const switches&);

// clear_grid.cu
void clear_grid(launcher&, const problem&, const switches&);

// count_then_binarize.cu
void count_then_binarize(launcher&, const problem&, const switches&);

// global_atomic.cu
void global_atomic(launcher&, const problem&, const switches&);

// global_atomic_four_points.cu
void global_atomic_four_points(launcher&, const problem&, const switches&);

// global_atomic_reciprocal.cu
void global_atomic_reciprocal(launcher&, const problem&, const switches&);

// global_atomic_soa.cu
void global_atomic_soa(launcher&, const problem&, const switches&);

// global_atomic_vec4.cu
void global_atomic_vec4(launcher&, const problem&, const switches&);

// packed_pair.cu
void packed_pair(launcher&, const problem&, const switches&);

// packed_pair_lanes.cu
void packed_pair_lanes(launcher&, const problem&, const switches&);

// packed_pair_match.cu
void packed_pair_match(launcher&, const problem&, const switches&);

// plain_store.cu
void plain_store(launcher&, const problem&, const switches&);

// smem_bins.cu
void smem_bins(launcher&, const problem&, const switches&);

// smem_bins_one_launch.cu
void smem_bins_one_launch(launcher&, const problem&, const switches&);

// smem_bitmap.cu
void smem_bitmap(launcher&, const problem&, const switches&);

// smem_bitmap_cluster.cu
void smem_bitmap_cluster(launcher&, const problem&, const switches&);

// smem_bricks.cu
void smem_bricks(launcher&, const problem&, const switches&);

// smem_hashed.cu
void smem_hashed(launcher&, const problem&, const switches&);

// smem_linear_claim.cu
void smem_linear_claim(launcher&, const problem&, const switches&);

// smem_linear_scan.cu
void smem_linear_scan(launcher&, const problem&, const switches&);

// smem_point_cache.cu
void smem_point_cache(launcher&, const problem&, const switches&);

// smem_point_cache_async.cu
void smem_point_cache_async(launcher&, const problem&, const switches&);

// smem_point_cache_bulk.cu
void smem_point_cache_bulk(launcher&, const problem&, const switches&);

// smem_point_cache_flat.cu
void smem_point_cache_flat(launcher&, const problem&, const switches&);

// smem_tiles.cu
void smem_tiles(launcher&, const problem&, const switches&);

// sorted_atomic.cu
void sorted_atomic(launcher&, const problem&, const switches&);

// sorted_bricks.cu
void sorted_bricks(launcher&, const problem&, const switches&);

// sorted_runs.cu
void sorted_runs(launcher&, const problem&, const switches&);

// sorted_segments.cu
void sorted_segments(launcher&, const problem&, const switches&);

// test_then_store.cu
void test_then_store(launcher&, const problem&, const switches&);

// vector_pair_match.cu
void vector_pair_match(launcher&, const problem&, const switches&);

// warp_merge.cu
void warp_merge(launcher&, const problem&, const switches&);

}  // namespace ablate::voxelize
