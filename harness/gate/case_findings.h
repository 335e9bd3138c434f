#pragma once

#include <string>
#include <vector>

#include "harness/gate/gate.h"
#include "reports/gate/outputs.h"

namespace ablate::gate {

/// What the command said, for those that compare again.
struct gate_command {
  std::string text;  ///< "ablate gate --baseline A --candidate B SUITE", without a filter and --out
  bool strict = false;
};

/// The command for one case alone, which leaves this gate's launches where they are.
std::string command_for(const std::string& name, const gate_request&, const gate_command&);

/// The decision on a case. In a run that is suspected as a whole no case fails by its time.
finding finding_of(const case_decision&, const gate_request&, const gate_command&, bool run_is_invalid);
finding finding_of(const counter_change&, const gate_request&, const gate_command&);
finding plain_finding(const std::string& subject, const std::string& verdict, weight, const std::string& why,
                      const std::string& command = "");

/// What is inconclusive or missing fails under --strict alone.
weight weight_of_doubt(const gate_command&);

/// The largest slow-down first.
std::vector<case_decision> by_effect(const gate_decision&);

/// A decision in words: "+3.10 %", "+2.90 % to +3.30 %", "12.4 us", "control; why".
std::string change_text(const case_decision&);
std::string interval_text(const shift&);
std::string us_text(double us);
std::string remark_of(const case_decision&);

}  // namespace ablate::gate
