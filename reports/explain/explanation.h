#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/explain/commands.h"
#include "reports/record/record.h"

namespace ablate::explain {

/// What a counter counts, in words, and in which unit.
struct counter_meaning {
  std::string display, unit;
};
/// By the name that CUPTI gives the counter.
using counter_meanings = std::map<std::string, counter_meaning>;

/// How many times as fast; the interval is the widest that the two medians' 95 % intervals allow.
struct speed_ratio {
  double value, low, high;
};

/// The least time that work of one kind can take by its ceiling in the same run; without such work there is
/// no line.
struct floor_line {
  std::string name;          ///< launch, bytes, atomics, flops, random
  std::optional<double> us;  ///< nothing where the ceiling was not measured
  std::string at;            ///< the amount of work and the ceiling's rate; empty for a launch
  bool binds;
};

/// Declared work beside what counters saw; without either there is none.
struct amount {
  std::string name, unit;
  double declared;
  std::optional<double> measured;
  std::string by;  ///< what measured it, or why nothing did
  /// Measured over declared: nothing where either is nothing.
  std::optional<double> waste_factor() const;
};

/// Bytes, FLOPs and atomics of a case, those that it declares or that were counted.
std::vector<amount> amounts_of(const measured_case&);

/// A figure made of counters (reports/views/metrics.h).
struct figure {
  std::string name, title, formula;
  double value;
};

struct counter_line {
  std::string name, display, unit;
  std::optional<double> value;
  std::string missing;  ///< why there is no value
};

/// One launch of a kernel. Facts are of the device's architecture.
struct kernel_line {
  std::string name;
  long launches;                    ///< more than one where the record counted all of a name together
  std::array<long, 3> grid, block;  ///< of the first of them, as everything below but the share
  std::optional<double> share;      ///< of the case's SM cycles, 0 to 1
  std::optional<compiled_kernel> compiled;
  long dynamic_shared_bytes;
  std::optional<double> theoretical_occupancy;  ///< 0 to 1
};

/// Where a case stands among the variants at its axes, cache state and method of timing.
struct standing {
  std::size_t rank, of;  ///< 1 is the fastest median
  std::string fastest, baseline;
  speed_ratio of_fastest;                    ///< the fastest one's time over this one's: 1 at most
  std::optional<speed_ratio> over_baseline;  ///< nothing for the baseline, and where it was not measured
};

/// A variant that differs from this one in a single switch, at the same axes, cache state and method.
struct neighbor {
  std::string variant, switch_name;
  std::optional<std::string> here, there;  ///< the switch's values; nothing where a variant states none
  speed_ratio speed;                       ///< of the neighbor: this one's time over its
};

/// All that a record tells of one case. Refers to the record.
struct explanation {
  const record* from = nullptr;
  const measured_case* measured = nullptr;      ///< null for a case that was not measured
  const unmeasured_case* unmeasured = nullptr;  ///< null for a case that was
  std::string variant_description;
  std::vector<floor_line> floors;
  std::vector<amount> amounts;
  std::vector<figure> figures;
  std::vector<counter_line> counters;
  std::vector<kernel_line> kernels;
  std::optional<standing> stands;  ///< nothing for a calibration
  std::vector<neighbor> neighbors;
  case_commands commands;
};

/// Of the case of this name. Throws std::out_of_range if the record has none.
explanation explain_case(const record&, const std::string& name, const counter_meanings&);

}  // namespace ablate::explain
