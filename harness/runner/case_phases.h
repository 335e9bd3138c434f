#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "base/record/record.h"
#include "harness/timing/stopwatch.h"

namespace ablate {

/// What the time of a case goes into.
enum class case_phase : std::size_t {
  inputs,    ///< its workload is made on the host; nothing if the case before it had the same
  buffers,   ///< allocated, filled, uploaded
  checks,    ///< launches that are compared with the oracle, copies of their outputs, figures of quality
  samples,   ///< warm-up, samples and the wait for a steady clock
  counters,  ///< with comparing outputs under them
  sampling,  ///< of a timeline, of whole forwards, of energy
  rest       ///< all else: buffers are freed, the entry is made
};
inline constexpr std::size_t case_phase_count = 7;

/// Seconds by phase.
class case_phases {
 public:
  double& operator[](case_phase phase) { return seconds_[static_cast<std::size_t>(phase)]; }
  double operator[](case_phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
  double all() const;
  /// What `elapsed_s` of a case holds beyond the phases is its rest.
  void set_rest(double elapsed_s);

 private:
  std::array<double, case_phase_count> seconds_ = {};
};

/// Divides the time of a case, from its construction on.
class case_clock {
 public:
  /// All of the time since the last call went into this.
  void spent_on(case_phase);
  const case_phases& spent() const { return spent_; }

 private:
  stopwatch watch_;
  double since_s_ = 0;
  case_phases spent_;
};

/// `phases_s` of a record: to the millisecond, without phases that took less.
measured_case::phases phases_of(const case_phases&);

/// "inputs 12.0 s, buffers 3.1 s, checks 40.2 s, samples 80.0 s, counters 20.4 s, sampling 0.0 s, rest 0.3 s"
std::string phases_text(const case_phases&);

}  // namespace ablate
