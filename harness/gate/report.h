#pragma once

#include <cstddef>

#include "harness/gate/case_findings.h"
#include "harness/gate/gate.h"
#include "reports/gate/outputs.h"

namespace ablate::gate {

/// The gate's findings in the form shared by all gates: for JUnit, annotations and summaries.
gate_report report_of(const gate_outcome&, const gate_request&, const gate_command&);

/// The number of counters left out because they vary between launches.
std::size_t count_varying(const gate_outcome&);

}  // namespace ablate::gate
