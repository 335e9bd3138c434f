#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/record/question.h"
#include "reports/ablation/processes.h"
#include "reports/views/operation_view.h"

namespace ablate::reports {

/// The fastest case of a family on one workload, by its median.
struct family_best {
  const measured_case* fastest = nullptr;  ///< null if none was measured
  std::string variant;  ///< with the axes that the families choose: "hopper_online, rows=scan"
  std::optional<effect>
      over;  ///< over the last family's best; nothing for the last itself, or if one is missing
  bool unequal_quality = false;  ///< its output differs from the last family's best's
};

/// A workload on which at least two families were measured.
struct answered_workload {
  const comparable_cases* row;
  std::vector<family_best> best;  ///< by family
  std::size_t fastest;            ///< the family with the least median
  std::optional<double> size;     ///< the value along which the question is asked, where that is a number
  std::string scan;               ///< the recorded cloud that it is of, or empty
};

/// Workloads with a verdict of their own.
struct answered_group {
  named_words by;           ///< values of the axes that divide the workloads
  std::string cache_state;  ///< empty if all workloads share one
  std::vector<const answered_workload*> workloads;
};

/// One place where the question is asked. Not copyable: its parts refer to each other.
struct answered_part {
  answered_part(std::shared_ptr<const record> joined, operation_view of)
      : cases(std::move(joined)), view(std::move(of)) {}
  answered_part(answered_part&&) = default;

  std::shared_ptr<const record>
      cases;  ///< under the names of the comparison; null where only variants differ
  operation_view view;
  std::string along;
  std::vector<answered_workload> workloads;
  std::vector<answered_group> groups;
};

/// A suite's question with what a record says to it.
struct question_answer {
  suite_question asked;
  std::vector<answered_part> parts;  ///< those with an answer
  std::vector<std::string> open;     ///< a sentence for each place without one
  double confidence;                 ///< of the intervals

  bool has_two_families() const { return asked.families.size() == 2; }
};

/// Best against best, on each workload that the question chooses. A family's best is the least median of its
/// cases, third-party kernels that a script added left out; without axes that a family chooses, only cases of
/// the very same input are compared. Refers to the record.
question_answer answer_of(const record&, const suite_question&, const process_launches&);

/// The cases whose times are left to decide a verdict, by name.
std::vector<std::string> undecided_cases(const question_answer&);

}  // namespace ablate::reports
