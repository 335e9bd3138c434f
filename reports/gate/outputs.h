#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ablate::gate {

/// How a finding weighs: failed ones fail the gate, inconclusive ones only under --strict.
enum class weight { failed, inconclusive, noted, passed };

/// What a gate says about one thing it compared: a case (timing gate) or a quantity of a kernel (static
/// gate).
struct finding {
  std::string subject;              ///< case id or kernel
  std::string place;                ///< what else identifies it: architecture, variant and chip; may be empty
  std::string quantity;             ///< registers, time, …; empty if the whole subject is meant
  std::string baseline, candidate;  ///< with units; empty if that side has none
  std::string verdict;              ///< one word: SLOWER, SAME, WORSE, ACCEPTED, …
  weight weighs = weight::noted;
  std::string message;  ///< one line
  std::string command;  ///< repeats this comparison; empty if nothing failed
};

/// What one gate invocation found.
struct gate_report {
  std::string gate;                                        ///< its name: static, timing
  std::vector<std::pair<std::string, std::string>> facts;  ///< of both sides: name, value
  std::vector<finding> findings;
  std::string verdict;  ///< PASS, FAIL, INCONCLUSIVE, INVALID, WRONG
  std::string reason;   ///< one line: why this verdict
  int exit_code = 0;
};

/// Gives a report that does not pass a finding that says so, if none of its findings failed: a reader of
/// single findings, such as JUnit's, must not take it for a pass. `command` repeats the gate.
void print_verdict(gate_report&, const std::string& command);

/// The findings of one weight, in their order.
std::vector<const finding*> findings_of(const gate_report&, weight);

/// How every gate's text ends: the commands that repeat the failed comparisons, each once, and the verdict.
std::string conclusion_text(const gate_report&);
/// For a terminal: a line for each finding that did not pass, then the verdict.
std::string report_text(const gate_report&);
/// For a pull request or a job summary ($GITHUB_STEP_SUMMARY).
std::string report_markdown(const gate_report&);
/// Everything, including what passed.
nlohmann::ordered_json report_json(const gate_report&);
/// JUnit XML: one test case per finding; inconclusive ones count as skipped.
std::string report_junit(const gate_report&);
/// GitHub workflow commands (::error, ::warning and ::notice), one per line; nothing for what passed.
std::string report_annotations(const gate_report&);

}  // namespace ablate::gate
