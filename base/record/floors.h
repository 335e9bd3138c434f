#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ablate {

/// The best that the device was measured to do in the same run: `context.ablate.ceilings` of a record.
struct ceiling {
  double us = 0;          ///< of `launch` and `launch_hot`: one empty launch, by events and in a graph
  double rate_per_s = 0;  ///< of all others: units of work per second
  std::string case_name;  ///< the calibration that reached it
  std::size_t place = 0;  ///< among the ceilings of a record
};
using measured_ceilings = std::map<std::string, ceiling>;

/// Measured peak FLOP/s of a pipe: the fastest of the ceilings `<pipe>…_flops`. No pipe, as in a record
/// before version 1.6: the fastest `*_flops`. Nothing if none of them was measured.
std::optional<double> flops_per_s(const measured_ceilings&, std::string_view pipe);

/// From `context.ablate.ceilings` of a record that was read or is being written.
measured_ceilings parse_ceilings(const nlohmann::ordered_json&);

/// Accesses behind a ceiling `random_*`: the atomics of its work, or its 32-byte sectors if it has none.
double random_accesses(double bytes, double atomics);

/// The least time that each ceiling allows for this work, which of them binds (the greatest), and the
/// measured median divided by it. A floor is null if its ceiling was not measured; the whole is null if no
/// ceiling was. `work` has bytes, flops and atomics, and may have `flop_pipe`: see flops_per_s; `random`:
/// random accesses, each with resource, count and footprint_bytes; and `reductions`: bounds on the atomics,
/// each with ceiling and count.
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
nlohmann::ordered_json floors(const measured_ceilings&, const nlohmann::json& work, double median_us,
                              std::string_view cache_state, double l2_capacity);

}  // namespace ablate
