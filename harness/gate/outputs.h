#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/gate/gate.h"
#include "reports/gate/outputs.h"

namespace ablate::gate {

/// What the command said, for those that compare again.
struct gate_command {
  std::string text;  ///< "ablate gate --baseline A --candidate B SUITE", without a filter and --out
  bool strict = false;
};

/// The gate's findings in the form that all gates share: for JUnit, annotations and summaries.
gate_report report_of(const gate_outcome&, const gate_request&, const gate_command&);

/// For a terminal: a table sorted by effect, cases that are SAME only when all are wanted; then findings that
/// are no times, the commands that compare again what failed, and the verdict.
std::string gate_text(const gate_outcome&, const gate_request&, const gate_command&, bool all);
std::string gate_markdown(const gate_outcome&, const gate_request&, const gate_command&);
/// As reports/schema/gate.schema.json has it.
nlohmann::ordered_json gate_json(const gate_outcome&, const gate_request&, const gate_command&);

}  // namespace ablate::gate
