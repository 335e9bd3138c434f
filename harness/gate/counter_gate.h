#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/record.h"

namespace ablate::gate {

/// A deterministic counter of a case that differs between the builds by more than it may.
struct counter_change {
  std::string name, counter;
  double baseline, candidate;  ///< medians of the readings
  double change_pct;           ///< infinite where the baseline's is zero
  double tolerance_pct;        ///< the policy's, or the case's A/A band where that is wider
  bool is_worse;
};

struct counter_comparison {
  std::vector<counter_change> changes;
  std::size_t compared = 0;  ///< counters of cases
  std::size_t varying = 0;   ///< counters that vary from reading to reading, with no band from calibration
  std::string why_none;      ///< one line, where no counter could be read
};

/// The groups that hold the policy's counters on this silicon, as `run --counters` takes them; empty where
/// the policy names none.
std::string counter_groups_of(const gate_policy&);

/// Holds the readings of both sides against each other, a record a reading. A counter is compared where all
/// readings of either side agree within a tenth of its tolerance, or where calibration found its band. Of
/// such a band twice the width counts, for it is the widest of few readings.
counter_comparison compare_counters(const std::vector<record>& baseline, const std::vector<record>& candidate,
                                    const std::vector<std::string>& cases, const gate_policy&,
                                    const noise_floors*);

/// The widest relative difference of two readings, in percent, by case and counter of the policy.
std::map<std::string, std::map<std::string, double>> counter_bands(const std::vector<record>& readings,
                                                                   const gate_policy&);

}  // namespace ablate::gate
