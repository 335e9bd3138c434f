#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/gate/program_launches.h"

namespace ablate::gate {

/// Why a case may take another time in the candidate, or why it cannot.
struct affected_case {
  std::string id;
  bool is_in = false;        ///< to be timed
  bool is_control = false;   ///< unaffected, timed all the same: it has to stay SAME
  std::string why;           ///< one line
  std::string only_in = {};  ///< baseline or candidate, where the other program lacks the case; else empty
};

/// A kernel whose machine code differs between the programs, or that one of them lacks.
struct changed_kernel {
  std::string kernel;
  std::string what;                ///< changed, new, gone
  std::vector<std::string> cases;  ///< ids of those that launch it
};

/// What a change affects, known without a GPU.
struct affected {
  std::string baseline, candidate;  ///< commits
  std::string chip, suite_hash;
  std::vector<changed_kernel> kernels;
  std::vector<affected_case> cases;  ///< in the candidate's order, those that only the baseline has last
  std::size_t not_applicable = 0;

  /// Ids of the affected cases that both programs have, then of the controls; empty if there are none.
  std::vector<std::string> to_time() const;
  std::vector<std::string> gone() const;  ///< ids of the cases that the candidate lacks
  std::vector<std::string> controls() const;
  std::size_t affected_count() const;
};

/// Compares what two programs launch for the same suite on the same chip. A case is in if one of its launches
/// has other machine code, another place, geometry or arguments, if its input differs, if the host times it
/// and the sources differ, if it is new or gone, and wherever that cannot be known. `most_controls` cases
/// that are not affected become controls, of as many operations as possible. Throws bad_input if the two are
/// of different chips or suites.
affected affected_by(const program_launches& baseline, const program_launches& candidate,
                     std::size_t most_controls = 3);

nlohmann::ordered_json to_json(const affected&);
/// Throws bad_input.
affected read_affected(const std::filesystem::path&);

/// One line: how many cases are affected, or that nothing that runs changed.
std::string summary(const affected&);
/// For a terminal: counts, the changed kernels, and a line for each case that is in; all of them if asked.
std::string affected_text(const affected&, bool all);
/// For a pull request: a table of kernels and one of cases.
std::string affected_markdown(const affected&);

}  // namespace ablate::gate
