#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "base/record/selection.h"
#include "reports/views/operation_view.h"
#include "reports/views/ranking.h"

namespace ablate::best {

/// A size that was asked for and not measured, with the measured ones nearest to it.
struct missing_size {
  std::string operation, axis, asked;
  std::optional<std::string> below, above;
  bool operator==(const missing_size&) const = default;
};

/// The variants of one workload: those measured by rank, the others with the reason.
struct ranked_workload {
  const reports::operation_view* view;
  named_words axes;
  std::string cache_state;
  reports::ranking ranked;  ///< without variants if none was measured here
  std::vector<const unmeasured_case*> unmeasured;
  std::vector<missing_size> stands_in_for;
  /// In how many of the axes that were not asked for (or in the cache state) it differs from what the record
  /// has most.
  std::size_t unusual;
};

/// Refers to the record.
struct answer {
  const record* from = nullptr;
  std::size_t launches = 1;  ///< that its times are of
  reports::merit by = reports::merit::time;
  std::vector<reports::operation_view> views;
  std::vector<ranked_workload> workloads;  ///< in the views' order
  std::vector<selection_term> asked;

  answer() = default;
  answer(answer&&) = default;
  answer& operator=(answer&&) = default;
  answer(const answer&) = delete;  // the workloads point into the views
  answer& operator=(const answer&) = delete;
};

/// What a record says of the workloads that have all of these values, given as terms
/// (base/record/selection.h). If a size (a value of an axis of integers) was not measured with the others,
/// the workloads at the nearest sizes below and above stand in for it; nothing is interpolated. The size 0,
/// which is `all`, stands in for no other. Throws bad_input, with the nearest name, for an axis or another
/// value that the record does not have, and where the values were not measured together; and where variants
/// are to be ranked by energy and no case among them has it. `launches`: those whose mean the record is
/// (reports/views/over_launches.h).
answer answer_of(const record&, const std::vector<std::string>& terms,
                 reports::merit by = reports::merit::time,
                 std::shared_ptr<const reports::case_launches> launches = nullptr);

/// Every workload of the record, by time.
answer everything_in(const record&);

}  // namespace ablate::best
