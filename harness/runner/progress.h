#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/timing/stopwatch.h"

namespace ablate {

/// Shows a run's progress on standard error: one line rewritten in place on a terminal, otherwise one line
/// per case.
class progress_line {
 public:
  /// `total`: the number of cases in the suite; `planned_seconds`: of those still to run, in their order.
  progress_line(std::size_t total, std::vector<double> planned_seconds);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void begin(std::size_t number, const std::string& case_id);
  /// `entry`: the case's journal entry.
  void end(const nlohmann::ordered_json& entry);

 private:
  std::string times() const;

  std::size_t total_;
  std::vector<double> planned_seconds_;
  std::size_t number_ = 0;
  std::size_t ended_ = 0;
  bool is_terminal_;
  stopwatch watch_;
};

/// What is left of a run: the planned seconds of the cases to come, at the pace of those that ended. The
/// first seconds count little, since a plan knows durations better than two or three cases do.
double seconds_left(const std::vector<double>& planned_seconds, std::size_t ended, double elapsed_seconds);

}  // namespace ablate
