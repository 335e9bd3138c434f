#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/record/record.h"
#include "harness/runner/worker_progress.h"

namespace ablate {

/// How far a run is, as all of its workers see it.
struct run_pace {
  double planned_seconds = 0;  ///< of the cases that the run began with
  long long began_ns = 0;      ///< steady clock
  std::span<const worker_progress> workers;

  /// "1:20 elapsed, about 4:00 left"
  std::string text() const;
};

/// What is left of a run: the planned seconds of the cases to come, divided among the workers, at the pace of
/// those that ended. The first seconds count little, since a plan knows durations better than two or three
/// cases do.
double seconds_left(double planned_done, double planned_rest, double elapsed_seconds,
                    std::size_t workers = 1);

/// Shows a run's progress on standard error: one line rewritten in place on a terminal, otherwise, and where
/// several workers share it, one line per case.
class progress_line {
 public:
  /// `total`: the number of cases in the suite; `device`: in a run on several, the one that this is of.
  progress_line(std::size_t total, const run_pace&, std::string device);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void begin(std::size_t number, const std::string& case_id);
  void end(const case_entry&);

 private:
  std::size_t total_;
  run_pace pace_;
  std::string device_;
  std::size_t number_ = 0;
  bool is_rewritten_;
};

}  // namespace ablate
