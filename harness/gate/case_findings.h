#pragma once

#include <string>
#include <vector>

#include "harness/gate/gate.h"
#include "reports/gate/outputs.h"

namespace ablate::gate {

/// The command as given, for printing commands that repeat a comparison.
struct gate_command {
  std::string text;  ///< "ablate gate --baseline A --candidate B SUITE", without a filter and --out
  bool strict = false;
};

/// The command for a single case, which leaves this gate's launches in place.
std::string command_for(const std::string& name, const gate_request&, const gate_command&);

/// The decision on a case. In a run suspect as a whole, no case fails on its time.
finding finding_of(const case_decision&, const gate_request&, const gate_command&, bool run_is_invalid);
finding finding_of(const counter_change&, const gate_request&, const gate_command&);
finding plain_finding(const std::string& subject, const std::string& verdict, weight, const std::string& why,
                      const std::string& command = "");

/// Of results that are inconclusive or missing, and yet leave nothing open that a pass would hide: they fail
/// only under --strict.
weight weight_of_doubt(const gate_command&);

/// Largest slowdown first.
std::vector<case_decision> by_effect(const gate_decision&);

/// A decision as text: "+3.10 %", "+2.90 % to +3.30 %", "12.4 us", "control; why".
std::string change_text(const case_decision&);
std::string interval_text(const shift&);
std::string us_text(double us);
std::string remark_of(const case_decision&);

}  // namespace ablate::gate
