#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "harness/runner/executor.h"
#include "harness/runner/journal.h"
#include "harness/runner/neighbors.h"
#include "harness/runner/worker_place.h"

namespace ablate {

/// Measures what busy neighbors do to this worker's calibrations, or is such a neighbor.
class neighbor_measurement {
 public:
  neighbor_measurement(const run_facts&, const worker_place&, executor&);

  /// Journals the result, if the neighbors could be kept busy; before the bundles it decides about turns.
  void probe(const std::vector<std::size_t>& numbers, bool at_end, journal&);

  /// Busy and idle as the probing worker wants it, until that is over.
  void be_load(std::size_t number);

 private:
  class held_calibration;

  void write_beginning(const std::vector<neighbor_influence>&, journal&);

  /// Its output was checked as the calibration that it is; and no steady clock is waited for: what neighbors
  /// do to the clock is looked for, too, and any other drift is cancelled by the order of turns.
  std::unique_ptr<held_calibration> hold(std::size_t number);

  double time_us(const held_calibration&);

  /// Returns once all of them are; false if that is over.
  bool set_busy(bool busy);

  /// The supervisor sees that this worker does not hang.
  void rest();

  const run_facts& facts_;
  const worker_place& place_;
  executor& on_;
  neighbor_board& board_;
};

}  // namespace ablate
