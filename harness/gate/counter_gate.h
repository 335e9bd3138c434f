#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/record/record.h"

namespace ablate::gate {

/// A deterministic counter of a case that differs between the builds by more than it may.
struct counter_change {
  std::string name, counter;
  double baseline, candidate;  ///< medians of the readings
  double change_pct;           ///< infinite where the baseline's is zero
  double tolerance_pct;        ///< the policy's, or the case's A/A band where that is wider
  bool is_worse;
};

/// A counter of a case that could not be compared.
struct uncompared_counter {
  enum class why {
    varying,   ///< from reading to reading, already on the baseline, and no calibration found its band
    unsteady,  ///< it varies on the candidate alone
    gone,      ///< only the baseline's could be read
    added      ///< only the candidate's could be read
  };
  std::string name, counter;
  why kind;
  std::string reason;  ///< one line

  /// The baseline allowed a comparison: it is told, and fails under --strict.
  bool is_missing() const { return kind == why::unsteady || kind == why::gone; }
};

/// VARYING, UNSTEADY, GONE, NEW.
std::string_view name_of(uncompared_counter::why);

struct counter_comparison {
  std::vector<counter_change> changes;
  std::vector<uncompared_counter> left_out;
  std::size_t compared = 0;  ///< counters of cases
  std::string why_none;      ///< one line, where no counter could be read
};

/// The groups that hold the policy's counters on this silicon, as `run --counters` takes them; empty where
/// the policy names none. Throws bad_input for a counter that is in no group: nothing would read it.
std::string counter_groups_of(const gate_policy&);

/// Holds the readings of both sides against each other, a record a reading. A counter is compared where all
/// readings of either side agree within a tenth of its tolerance, or where calibration found its band. Of
/// such a band twice the width counts, for it is the widest of few readings. Where only the candidate's vary,
/// a change ten times as large as they differ by counts too, and nothing is wrong where none of them is above
/// the baseline's by more than the tolerance; else the counter is unsteady.
counter_comparison compare_counters(const std::vector<record>& baseline, const std::vector<record>& candidate,
                                    const std::vector<std::string>& cases, const gate_policy&,
                                    const noise_floors*);

/// The widest relative difference of two readings, in percent, by case and counter of the policy.
std::map<std::string, std::map<std::string, double>> counter_bands(const std::vector<record>& readings,
                                                                   const gate_policy&);

}  // namespace ablate::gate
