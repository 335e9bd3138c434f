#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "reports/explain/commands.h"
#include "reports/views/speed_up.h"

namespace ablate::explain {

/// What a counter counts, in words, and its unit.
struct counter_meaning {
  std::string display, unit;
};
/// Keyed by CUPTI counter name.
using counter_meanings = std::map<std::string, counter_meaning>;

/// The least time that one kind of work can take at its ceiling in the same run; there is no line without
/// such work.
struct floor_line {
  std::string name;  ///< launch, bytes, flops, exponentials; of a model atomics, random, gathered, steps
  std::optional<double> us;  ///< nothing if the ceiling was not measured
  std::string at;            ///< the amount of work and the ceiling's rate; empty for a launch
  bool is_model;             ///< of one way of doing the task, which another may beat
  bool binds;                ///< the greatest of the floors, or of the models where that is greater
};

/// Declared work next to what counters saw; absent without either.
struct amount {
  std::string name, unit;
  double declared;
  std::optional<double> measured;
  std::string by;  ///< what measured it, or why nothing did
  /// Measured over declared; nothing if either is missing.
  std::optional<double> waste_factor() const;
};

/// Bytes, FLOPs and atomics of a case, as far as declared or counted.
std::vector<amount> amounts_of(const measured_case&);

/// A figure derived from counters (reports/views/metrics.h).
struct figure {
  std::string name, title, formula;
  double value;           ///< as it was read
  bool is_shown = false;  ///< false for a share beyond its bound
};

struct counter_line {
  std::string name, display, unit;
  std::optional<double> value;
  std::string missing;    ///< why there is no value
  std::string not_shown;  ///< why text does not show it: it is beyond its bound
};

/// One launch of a kernel. Facts are for the device's architecture.
struct kernel_line {
  std::string name;
  long launches;                    ///< more than one if the record counted all with this name together
  std::array<long, 3> grid, block;  ///< of the first launch, like everything below except the share
  std::optional<double> share;      ///< of the case's SM cycles, 0 to 1
  std::optional<compiled_kernel> compiled;
  long dynamic_shared_bytes;
  std::optional<double> theoretical_occupancy;  ///< 0 to 1
};

/// A case's rank among the variants with the same axes, cache state and timing method.
struct standing {
  std::size_t rank, of;  ///< 1 is the fastest median
  std::string fastest, baseline;
  reports::speed_up of_fastest;                    ///< the fastest one's time over this one's: at most 1
  std::optional<reports::speed_up> over_baseline;  ///< nothing for the baseline, or if it was not measured
};

/// A variant that differs from this one in a single switch, with the same axes, cache state and method.
struct neighbor {
  std::string variant, switch_name;
  std::optional<std::string> here, there;  ///< the switch's values; nothing if a variant states none
  reports::speed_up speed;                 ///< of the neighbor: this one's time over the neighbor's
};

/// All that a record says about one case. Refers to the record.
struct explanation {
  const record* from = nullptr;
  std::size_t launches = 1;                     ///< that the time is of
  const measured_case* measured = nullptr;      ///< null if the case was not measured
  const unmeasured_case* unmeasured = nullptr;  ///< null if the case was
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

/// For the case of this name. Throws std::out_of_range if the record has none. `launches`: those whose mean
/// the record is (reports/views/over_launches.h).
explanation explain_case(const record&, const std::string& name, const counter_meanings&,
                         std::shared_ptr<const reports::case_launches> launches = nullptr);

}  // namespace ablate::explain
