#pragma once

#include <cstddef>
#include <map>
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

/// Accesses behind a ceiling `random_*`: the atomics of its work, or its 32-byte sectors if it has none.
double random_accesses(double bytes, double atomics);

}  // namespace ablate
