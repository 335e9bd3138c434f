#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ablate::gate {

/// How a finding weighs: what failed fails the gate, what is inconclusive fails it only under --strict.
enum class weight { failed, inconclusive, noted, passed };

/// What a gate says of one thing that it compared: a case of the timing gate, a quantity of a kernel of the
/// static gate.
struct finding {
  std::string subject;   ///< case id or kernel
  std::string place;     ///< what else tells it apart: architecture, variant and chip; may be empty
  std::string quantity;  ///< registers, time, …; empty where the subject as a whole is meant
  std::string baseline, candidate;  ///< with their unit; empty where one side has none
  std::string verdict;              ///< one word: SLOWER, SAME, WORSE, ACCEPTED, …
  weight weighs = weight::noted;
  std::string message;  ///< one line
  std::string command;  ///< what compares this again; empty where nothing failed
};

/// What one call of a gate found.
struct gate_report {
  std::string gate;                                        ///< its name: static, timing
  std::vector<std::pair<std::string, std::string>> facts;  ///< of both sides: name, value
  std::vector<finding> findings;
  std::string verdict;  ///< PASS, FAIL, INCONCLUSIVE, INVALID, WRONG
  std::string reason;   ///< one line: why this verdict
  int exit_code = 0;
};

/// Those of a weight, in their order.
std::vector<const finding*> findings_of(const gate_report&, weight);

/// How every gate's text ends: the commands that compare again what failed, each once, and the verdict.
std::string conclusion_text(const gate_report&);
/// For a terminal: what did not pass, a line each, then the verdict.
std::string report_text(const gate_report&);
/// For a pull request or a job summary ($GITHUB_STEP_SUMMARY).
std::string report_markdown(const gate_report&);
/// Everything, what passed too.
nlohmann::ordered_json report_json(const gate_report&);
/// JUnit's XML: a test case a finding; what is inconclusive counts as skipped.
std::string report_junit(const gate_report&);
/// GitHub's workflow commands: ::error, ::warning and ::notice, a line each; nothing for what passed.
std::string report_annotations(const gate_report&);

}  // namespace ablate::gate
