#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/hash_table/hash_table.h"

// The launch functions of hash_table, by the file that defines them.

namespace ablate::hash_table {

// bucketed.cu
void packed_wide_buckets_double_hash(launcher&, const problem&, const switches&);
void interleaved_buckets_double_hash(launcher&, const problem&, const switches&);

// bucketed_marked.cu
void packed_marked_buckets(launcher&, const problem&, const switches&);
void interleaved_marked_buckets(launcher&, const problem&, const switches&);

// interleaved.cu
void interleaved_16(launcher&, const problem&, const switches&);
void interleaved_16_load_first(launcher&, const problem&, const switches&);
void interleaved_16_in_flight(launcher&, const problem&, const switches&);
void interleaved_whole_cas_first(launcher&, const problem&, const switches&);
void interleaved_whole_load_first(launcher&, const problem&, const switches&);
void interleaved_16_double_hash(launcher&, const problem&, const switches&);
void interleaved_16_tile4(launcher&, const problem&, const switches&);

// packed.cu
void packed(launcher&, const problem&, const switches&);
void packed_load_first(launcher&, const problem&, const switches&);
void packed_warp_deduplicated(launcher&, const problem&, const switches&);
void packed_in_flight(launcher&, const problem&, const switches&);

// packed_hashes.cu
void packed_murmur(launcher&, const problem&, const switches&);
void packed_fnv(launcher&, const problem&, const switches&);
void packed_city(launcher&, const problem&, const switches&);
void packed_fibonacci(launcher&, const problem&, const switches&);
void packed_sector_local(launcher&, const problem&, const switches&);

// packed_probes.cu
void packed_double_hash(launcher&, const problem&, const switches&);
void packed_tile4(launcher&, const problem&, const switches&);
void packed_tile8(launcher&, const problem&, const switches&);
void packed_tile16(launcher&, const problem&, const switches&);

// partitioned.cu
void interleaved_partitioned(launcher&, const problem&, const switches&);

// regions.cu
void interleaved_regions(launcher&, const problem&, const switches&);
void interleaved_regions_counted(launcher&, const problem&, const switches&);
void interleaved_regions_pdl(launcher&, const problem&, const switches&);
void interleaved_regions_clusters(launcher&, const problem&, const switches&);

// vector_keys.cu
void indirect_murmur(launcher&, const problem&, const switches&);
void indirect_city(launcher&, const problem&, const switches&);
void in_line_murmur(launcher&, const problem&, const switches&);

// warp_search.cu
void packed_warp_search(launcher&, const problem&, const switches&);
void packed_warp_search_winner(launcher&, const problem&, const switches&);
void packed_warp_search_aligned(launcher&, const problem&, const switches&);

}  // namespace ablate::hash_table
