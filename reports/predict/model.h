#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reports/predict/seen.h"

// clang-format off
/// The time of a case on another chip, from what bounds it on the chip where it ran:
///
///     t' = t · Π (C_r / C'_r) ^ s_r  +  n · (launch' − launch)        s_r = p_r³ / (κ³ + Σ p³)
///
/// r is device memory, L2, atomics or compute. C_r is the ceiling of r on the chip where the case ran, C'_r on the other.
/// The pressure p_r is the share of C_r that the case's counters show:
///
///     memory    DRAM bytes read over dram_read_bytes and written over dram_write_bytes, in seconds, over t
///     L2        64 bytes a request over l2_bytes, over t
///     atomics   sectors of reductions and atomics / 1.5 over atomics_distinct, over t
///     compute   the greater of a · tensor activity and b · issue activity
///
/// What no pressure explains, κ³ / (κ³ + Σ p³), waits: it goes with the clock. κ, a and b are fitted; the rest is fixed. The
/// cube makes a resource that is half as busy as another count an eighth: overlapped, it costs nothing. A ceiling of L2 is the
/// geometric mean of streamed and random reads (16 MiB). Compute goes by data sheets, since measured FLOPs are those of a
/// power cap. A first launch costs `launch`, each further one `launch_hot`.
// clang-format on
namespace ablate::predict {

enum class resource { memory, l2, atomics, tensor, issue, waits };
constexpr std::size_t resources = 6;
std::string name_of(resource);

template <class T>
using by_resource = std::array<T, resources>;

/// κ, a and b.
struct weights {
  double kappa = 0.5, tensor = 2, issue = 1.4;
};

/// Without counters, by the floors of the work, which know less: `counted` is false.
struct pressures {
  by_resource<double> of = {};  ///< 0 for `waits`
  bool counted = true;
};
/// Nothing where neither counters nor floors are there, or a ceiling is missing.
std::optional<pressures> pressures_of(const seen_case&, const measured_rates&);

/// Add up to 1. Of tensor and issue one has a share, the busier.
by_resource<double> shares_of(const pressures&, const weights&);

/// One of two chips: its data sheet, and its ceilings where they were measured.
struct chip_rates {
  chip_sheet sheet;
  std::optional<measured_rates> measured;
  std::string from;  ///< a record's folder, or "data sheet"
};

/// ln(C_r / C'_r). Where the other chip's ceilings were not measured, data sheets say what they know: memory,
/// FLOPs and the clock, by which L2 and atomics go then.
by_resource<double> log_ratios(const chip_rates& ran_on, const chip_rates& other);

/// Microseconds that launches cost more on the other chip; 0 where one of them was not measured.
double longer_launches_us(const seen_case&, const chip_rates& ran_on, const chip_rates& other);

/// A case and the chip that it is predicted for.
struct transfer {
  std::string operation;
  pressures pressed;
  by_resource<double> ratios = {};
  double us = 0, launches_us = 0;
  double observed = 0;  ///< ln(t' / t), where it is known

  /// ln(t' / t)
  double predicted(const weights&) const;
};

/// By regularised least squares (Huber's loss at 5 %, a prior of 0.5, 2 and 1.4), each operation with the
/// same weight. Those of `held_out` do not count.
weights fitted(const std::vector<transfer>&, const std::string& held_out = "");

}  // namespace ablate::predict
