#pragma once

#include "kernels/common/launcher.h"
#include "kernels/hash_table/hash_table.h"

// The tables that probing_table (launches.h) picks from, by the file that compiles them. Each runs the phases
// that the problem requests.

namespace ablate::hash_table {

// bucketed.cu
void packed_wide_buckets_double_hash(launcher&, const problem&);
void interleaved_buckets_double_hash(launcher&, const problem&);

// bucketed_marked.cu
void packed_marked_buckets(launcher&, const problem&);
void interleaved_marked_buckets(launcher&, const problem&);

// interleaved.cu
void interleaved_16(launcher&, const problem&);
void interleaved_16_load_first(launcher&, const problem&);
void interleaved_16_in_flight(launcher&, const problem&);
void interleaved_16_searched_in_flight(launcher&, const problem&);
void interleaved_16_fibonacci(launcher&, const problem&);
void interleaved_16_double_hash(launcher&, const problem&);
void interleaved_16_tile4(launcher&, const problem&);
void interleaved_whole_cas_first(launcher&, const problem&);
void interleaved_whole_load_first(launcher&, const problem&);

// packed.cu
void packed(launcher&, const problem&);
void packed_load_first(launcher&, const problem&);
void packed_warp_deduplicated(launcher&, const problem&);
void packed_in_flight(launcher&, const problem&);
void packed_searched_in_flight(launcher&, const problem&);

// packed_hashes.cu
void packed_murmur(launcher&, const problem&);
void packed_fnv(launcher&, const problem&);
void packed_city(launcher&, const problem&);
void packed_fibonacci(launcher&, const problem&);
void packed_sector_local(launcher&, const problem&);

// packed_probes.cu
void packed_double_hash(launcher&, const problem&);
void packed_double_hash_searched_in_flight(launcher&, const problem&);
void packed_tile4(launcher&, const problem&);
void packed_tile8(launcher&, const problem&);
void packed_tile16(launcher&, const problem&);

// vector_keys.cu
void indirect_murmur(launcher&, const problem&);
void indirect_city(launcher&, const problem&);
void in_line_murmur(launcher&, const problem&);

}  // namespace ablate::hash_table
