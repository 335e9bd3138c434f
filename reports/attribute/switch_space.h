#pragma once

#include <optional>
#include <string>

#include "reports/views/operation_view.h"

namespace ablate::attribute {

/// What an operation declares of its switches, where the program that reads a record knows it.
class switch_space {
 public:
  /// A point that a program can run, as it is spelled, or why there is none.
  struct point {
    std::string spelling, why_not;
  };

  virtual ~switch_space() = default;

  /// What a point states today; nothing where there is none of that name. Records of before have switches
  /// that are no more, and lack what was the same everywhere.
  virtual std::optional<named_words> values_of(const std::string& point) const = 0;
  /// Whether a switch means something beside these values of the others.
  virtual bool has_meaning(const std::string& of_switch, const named_words& values) const = 0;
  /// The point with exactly these values, on a workload. What is not stated is `off`.
  virtual point point_at(const named_words& values, const reports::comparable_cases& workload) const = 0;
  /// The counter that the declaration says should move; empty where it says none.
  virtual std::string should_move(const std::string& of_switch) const = 0;
};

}  // namespace ablate::attribute
