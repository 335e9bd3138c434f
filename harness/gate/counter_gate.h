#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/record/record.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"

namespace ablate::gate {

/// A case's deterministic counter that differs between the builds by more than its tolerance.
struct counter_change {
  std::string name, counter;
  double baseline, candidate;  ///< medians of the readings
  double change_pct;           ///< infinite if the baseline is zero
  double tolerance_pct;        ///< the policy's, or the case's A/A band if wider
  bool is_worse;
};

/// A counter of a case that could not be compared.
struct uncompared_counter {
  enum class why {
    varying,   ///< varies between readings even on the baseline, and no calibration found its band
    unsteady,  ///< varies only on the candidate
    gone,      ///< only the baseline's could be read
    added      ///< only the candidate's could be read
  };
  std::string name, counter;
  why kind;
  std::string reason;  ///< one line

  /// The baseline could have been compared: reported, and fails under --strict.
  bool is_missing() const { return kind == why::unsteady || kind == why::gone; }
};

/// VARYING, UNSTEADY, GONE, NEW.
std::string_view name_of(uncompared_counter::why);

struct counter_comparison {
  std::vector<counter_change> changes;
  std::vector<uncompared_counter> left_out;
  std::size_t compared = 0;  ///< counters of cases
  std::string why_none;      ///< one line, if no counter could be read
};

/// The groups that contain the policy's counters on this silicon, as `run --counters` takes them; empty if
/// the policy names none. Throws bad_input for a counter in no group: nothing would read it.
std::string counter_groups_of(const gate_policy&);

/// Compares the readings of both sides, one record per reading. A counter is compared if each side's readings
/// agree within a tenth of its tolerance, or if calibration found its band; twice the band's width is then
/// allowed, since it is the widest of only a few readings. If only the candidate's readings vary, a change at
/// least ten times their spread still counts, and readings that never exceed the baseline's by more than the
/// tolerance pass; otherwise the counter is unsteady.
counter_comparison compare_counters(const std::vector<record>& baseline, const std::vector<record>& candidate,
                                    const std::vector<std::string>& cases, const gate_policy&,
                                    const noise_floors*);

/// The largest relative difference between two readings, in percent, by case and policy counter.
std::map<std::string, std::map<std::string, double>> counter_bands(const std::vector<record>& readings,
                                                                   const gate_policy&);

}  // namespace ablate::gate
