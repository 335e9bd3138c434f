#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/timing/stopwatch.h"

namespace ablate {

/// Shows a run's progress on standard error: one line rewritten in place on a terminal, otherwise one line
/// per case.
class progress_line {
 public:
  /// `total`: the number of cases in the suite.
  explicit progress_line(std::size_t total);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void begin(std::size_t number, const std::string& case_id);
  /// `entry`: the case's journal entry.
  void end(const nlohmann::ordered_json& entry);

 private:
  std::string times() const;

  std::size_t total_;
  std::size_t number_ = 0;
  std::size_t ended_ = 0;
  bool terminal_;
  stopwatch watch_;
};

}  // namespace ablate
