#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/gate/gate.h"
#include "harness/gate/report.h"

namespace ablate::gate {

/// For a terminal: a table sorted by effect, cases that are SAME only when all are wanted; then findings that
/// are no times, the commands that compare again what failed, and the verdict.
std::string gate_text(const gate_outcome&, const gate_request&, const gate_command&, bool all);
std::string gate_markdown(const gate_outcome&, const gate_request&, const gate_command&);
/// As reports/schema/gate.schema.json has it.
nlohmann::ordered_json gate_json(const gate_outcome&, const gate_request&, const gate_command&);

}  // namespace ablate::gate
