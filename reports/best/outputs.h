#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/text/terminal.h"
#include "reports/best/answer.h"

namespace ablate::best {

/// For a terminal. If a few workloads fit, or a few of those that fit are as usual in all that was not asked
/// for, a ranked table of each; otherwise, and with `all`, a line a workload. Then how to ask for others.
std::string answer_text(const answer&, bool all, const reports::terminal&);

/// Follows reports/schema/best.schema.json.
nlohmann::ordered_json answer_json(const answer&);

/// The record's results in a few lines an operation: of each workload, mostly at its largest size, the
/// fastest variant, its median and its factor; and how many cases were not measured.
std::string results_text(const record&, const reports::terminal&);

}  // namespace ablate::best
