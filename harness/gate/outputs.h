#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/text/terminal.h"
#include "harness/gate/gate.h"
#include "harness/gate/report.h"

namespace ablate::gate {

/// For a terminal: a table sorted by effect (SAME cases only if `all`), then findings other than times (of
/// those that do not fail only the first few of each kind, unless `all`), the commands that repeat failed
/// comparisons, and the verdict. Ids are short: what the cases shown have in common is said once.
std::string gate_text(const gate_outcome&, const gate_request&, const gate_command&, bool all,
                      const reports::terminal& = {});
std::string gate_markdown(const gate_outcome&, const gate_request&, const gate_command&);
/// Follows reports/schema/gate.schema.json.
nlohmann::ordered_json gate_json(const gate_outcome&, const gate_request&, const gate_command&);

}  // namespace ablate::gate
