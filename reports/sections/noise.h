#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"
#include "reports/plots/plots.h"
#include "reports/views/record_tables.h"

namespace ablate::reports {

/// How far off a case's time may be, in percent, as far as is known.
struct case_noise {
  const measured_case* of;
  double within_pct;                   ///< half of the median's 95 % interval: within this launch
  std::optional<double> launches_pct;  ///< the farthest launch median from the median of all launches
  std::optional<double> floor_pct;     ///< A/A: between two builds of one source
  std::vector<double> effects_pct;     ///< of the A/A runs behind the floor
};

/// What the records, and a calibration if there is one, say about noise. Refers to the record.
struct record_noise {
  std::vector<case_noise> cases;  ///< as in the record, without calibrations
  std::size_t launches = 1;       ///< of this suite and build, including the shown record's
  std::size_t gpus = 1;           ///< on which these ran
  double least_effect_pct = 0;    ///< the gate's: no smaller effect counts
  double too_noisy_pct = 0;       ///< the gate's: a case with a higher floor cannot fail
  bool has_floors = false;
  std::vector<std::string>
      coverage;  ///< what these figures cover and what they do not; a sentence or two each
};

/// `more` are further launches of the same suite and build. Throws bad_input if the floors are of another
/// device than the record.
record_noise noise_of(const record&, const std::vector<const record*>& more, const gate::noise_floors*,
                      const gate::gate_policy&);

/// One line per operation and kind of noise: cases, median, 90th percentile and maximum of their figures.
table noise_table(const record_noise&);

/// Each case's figures against its time, one panel per kind of noise; no plot if nothing was measured.
std::vector<plot> noise_plots(const record&, const record_noise&);

}  // namespace ablate::reports
