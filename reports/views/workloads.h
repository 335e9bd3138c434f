#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// How rows of a table or plot label their workload. If few axes vary, a label has the value of each; if many
/// do, only those that differ from the operation's usual workload.
class workload_labels {
 public:
  /// `axes` are those that vary over the workloads shown together.
  workload_labels(const operation_view&, std::vector<std::string> axes);

  /// "lidar, natural, grid 128", with the mark of the input, where it has one
  std::string of(const named_words& point) const;
  /// The axes named in a workload's label.
  std::vector<std::string> named(const named_words& point) const;
  /// The value of each axis that a label leaves out; empty if every label names all.
  const named_words& usual() const { return usual_; }

 private:
  const operation_view& view_;
  std::vector<std::string> axes_;
  named_words usual_;
};

/// The workloads of these rows.
std::vector<named_words> points_of(const std::vector<const comparable_cases*>& rows);

}  // namespace ablate::reports
