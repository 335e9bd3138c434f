#pragma once

#include <optional>
#include <string_view>

#include "base/record/record.h"

namespace ablate {

/// The least time that each ceiling allows for this work, which of them binds (the greatest), and the
/// measured median divided by it. There is no floor if its ceiling was not measured; none at all if no
/// ceiling was. For the work's `flop_pipe` see flops_per_s.
///
/// Atomics are bounded by each ceiling that `reductions` names, and the greatest time counts; without
/// `reductions`, by `atomics_distinct`.
///
/// `dram_us` is the time of the bytes that must go to or from device memory; `l2_us` that of the larger of
/// bytes read and bytes written (`written_bytes`), at the rate of `l2_bytes`; `bytes_us` is the greater of
/// the two. A `hot` case has no compulsory DRAM traffic; a `cold-clean` one has its reads, and its writes
/// beyond the L2's capacity in bytes; a `rotating` one has all of its bytes. If reads are the only DRAM
/// traffic, `dram_read_bytes` is the ceiling, else the fastest of the `dram_*_bytes`. Work that does not say
/// what is written has `bytes_us` alone, all of it at the rate of the L2 (hot) or of device memory. FLOPs are
/// bounded by the fastest ceiling of their pipe; `hot` and `rotating` cases by the launch in a graph,
/// `launch_hot`, all others by `launch`. Random accesses are bounded by the ceiling `<resource>_<size>`
/// (size: 64kib, 16mib …) of the largest footprint not above their own, whose rate is no lower than theirs,
/// or by the smallest; the greatest sum over a resource counts.
/// No floor is computed from any other ceiling.
std::optional<measured_case::floor_times> floors(const measured_ceilings&, const measured_case::work_amounts&,
                                                 double median_us, std::string_view cache_state,
                                                 double l2_capacity);
/// By these ceilings, on this record's device.
std::optional<measured_case::floor_times> floors(const record&, const measured_ceilings&,
                                                 const measured_case&);

}  // namespace ablate
