#pragma once

#include <string>
#include <vector>

#include "reports/views/operation_view.h"

namespace ablate::reports {

/// How the rows of a table or a plot say which workload they are of. Where few axes vary a label has the
/// value of each; where many do, only those that set it apart from the operation's usual workload.
class workload_labels {
 public:
  /// `axes` are those that vary over the workloads that stand together.
  workload_labels(const operation_view&, std::vector<std::string> axes);

  /// "lidar, natural, grid 128"
  std::string of(const named_words& point) const;
  /// The axes that the label of a workload names.
  std::vector<std::string> named(const named_words& point) const;
  /// What holds of an axis that a label does not name; empty where every label names all.
  const named_words& usual() const { return usual_; }

 private:
  const operation_view& view_;
  std::vector<std::string> axes_;
  named_words usual_;
};

/// The workloads of these rows.
std::vector<named_words> points_of(const std::vector<const comparable_cases*>& rows);

}  // namespace ablate::reports
