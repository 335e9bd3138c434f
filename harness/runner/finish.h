#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>

#include "harness/runner/journal.h"

namespace ablate {

/// What a record was made of.
struct finished_run {
  std::size_t measured = 0, cases = 0;
  std::set<std::string> statuses;         ///< of the cases
  std::size_t asked = 0, unmeasured = 0;  ///< of the suite's cases: without calibrations
  std::set<std::string> statuses_of_unmeasured;
};

/// Writes the record of the newest run in a journal: its cases in order, those not reached as `interrupted`.
/// What several devices measured is merged (base/record/merge.h). Further replicas of the bundles are
/// records of their own, replica-2/record.json and so on beside `record`. Throws bad_input, naming `journal`,
/// if no run got as far as its device, and as write_record does.
finished_run finish_run(const journal_contents&, const std::filesystem::path& journal,
                        const std::filesystem::path& record);

}  // namespace ablate
