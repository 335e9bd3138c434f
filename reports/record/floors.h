#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ablate {

/// What the device was measured to do at best, in the same run: `context.ablate.ceilings` of a record.
struct ceiling {
  double us = 0;          ///< of `launch` and `launch_hot`: one empty launch, by events and in a graph
  double rate_per_s = 0;  ///< of every other: units of work per second
  std::string case_name;  ///< the calibration that reached it
};
using measured_ceilings = std::map<std::string, ceiling>;

/// FLOPs a second that a pipe was measured to reach: the fastest of the ceilings `<pipe>…_flops`. No pipe, as
/// in a record before version 1.6: the fastest `*_flops`. Nothing where none of them was measured.
std::optional<double> flops_per_s(const measured_ceilings&, std::string_view pipe);

/// From `context.ablate.ceilings` as it stands in a record that was read or is being written.
measured_ceilings parse_ceilings(const nlohmann::ordered_json&);

/// Accesses behind a ceiling `random_*`: the atomics of its work, or where it has none the 32-byte sectors.
double random_accesses(double bytes, double atomics);

/// The least time that this work can take by each ceiling, which of them binds (the greatest), and the
/// measured median over that one. A floor is null where its ceiling was not measured; the whole is null where
/// no ceiling was. `work` has bytes, flops and atomics, and may have `flop_pipe`: see flops_per_s; `random`:
/// accesses at random, each with resource, count and footprint_bytes; and `reductions`: bounds on the
/// atomics, each with ceiling and count.
///
/// Atomics are held against each ceiling that `reductions` names, and the greatest time counts; without it
/// against `atomics_distinct`.
///
/// `dram_us` is the time of the bytes that must cross to device memory, `l2_us` that of the greater of those
/// read and those written (`written_bytes`) at the rate of `l2_bytes`; the greater of the two is `bytes_us`.
/// Nothing must cross of a `hot` case; of a `cold-clean` one what is read, and what is written beyond the
/// L2's capacity in bytes; of a `rotating` one everything. Where reads alone cross, `dram_read_bytes` is
/// their ceiling, else the fastest of the `dram_*_bytes`. Work that does not say what is written has
/// `bytes_us` alone, all of it at the rate of the L2 (hot) or of device memory. FLOPs are held against the
/// fastest ceiling of their pipe; `hot` and `rotating` cases against the launch in a graph, `launch_hot`, all
/// others against `launch`. Random accesses are held against the ceiling
/// `<resource>_<size>` (size: 64kib, 16mib …) of the largest footprint not above their own, whose rate is no
/// lower than theirs, or against the smallest; the greatest sum of a resource counts (packed_hash §6.5).
/// No floor is computed from any other ceiling.
nlohmann::ordered_json floors(const measured_ceilings&, const nlohmann::json& work, double median_us,
                              std::string_view cache_state, double l2_capacity);

}  // namespace ablate
