#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/record/record.h"

namespace ablate {

/// A bound on the time of a case.
struct time_bound {
  std::string name;  ///< launch, bytes, flops, …
  double us = 0;
  double time_over = 0;  ///< the median divided by it
};

/// The least time of the task: the greatest of the bounds that hold for every way of doing it, which are a
/// launch, its bytes, its FLOPs and its exponentials. No case beats it. Nothing where no such ceiling was
/// measured.
std::optional<time_bound> floor_of(const measured_case&);
std::optional<time_bound> floor_of(const measured_case::floor_times&, double median_us);

/// What bounds one way of doing the task, where that takes longer than the floor: atomics, random accesses,
/// bytes gathered from L2, or steps that follow one another. Another way may beat it: keys that are sorted
/// first need no random access, and fused steps hand on their rows in registers.
std::optional<time_bound> model_of(const measured_case&);
std::optional<time_bound> model_of(const measured_case::floor_times&, double median_us);

/// The model, or the floor where there is no longer model.
std::optional<time_bound> binding_bound(const measured_case&);

/// Whether a bound of this name is that of a model.
bool is_of_model(std::string_view name);

/// The least time that each ceiling allows for this work, the greatest of the task's and of the model's, and
/// the measured median divided by these. There is no bound if its ceiling was not measured; none at all if no
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
/// bounded by the fastest ceiling of their pipe, exponentials by the fastest of `exponentials_*`; `hot` and
/// `rotating` cases by the launch in a graph, `launch_hot`, all others by `launch`. Random accesses are
/// bounded by the ceiling `<resource>_<size>` (size: 64kib, 16mib …) of the largest footprint not above their
/// own, whose rate is no lower than theirs, or by the smallest; the greatest sum over a resource counts.
/// Gathered bytes are bounded by `l2_bytes`.
///
/// Of each kind of steps the greatest time counts, by launches in a graph, by bytes through the L2 (what one
/// step leaves may still be there), FLOPs or exponentials; these times add up to `steps_us`.
///
/// No bound is computed from any other ceiling.
std::optional<measured_case::floor_times> floors(const measured_ceilings&, const measured_case::work_amounts&,
                                                 double median_us, std::string_view cache_state,
                                                 double l2_capacity);
/// By these ceilings, on this record's device.
std::optional<measured_case::floor_times> floors(const record&, const measured_ceilings&,
                                                 const measured_case&);

/// The case's floors with today's `binding` and `model_binding`, whatever version wrote them.
std::optional<measured_case::floor_times> todays_floors(const measured_case&);
/// As versions before 2.2 wrote it: `binding` is the greatest of all bounds, the model's among them.
measured_case::floor_times before_models(measured_case::floor_times);

}  // namespace ablate
