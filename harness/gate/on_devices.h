#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text/terminal.h"
#include "harness/gate/case_findings.h"
#include "harness/gate/gate.h"
#include "reports/gate/outputs.h"

namespace ablate::gate {

/// A device of a gate on several.
struct gate_device {
  std::string name;    ///< in messages and folders: "gpu-1", "host-2"
  std::string option;  ///< as --device takes it
  std::string uuid;    ///< that its records must name; empty for the host
};

/// The gate of one device: whole, with launches, journal and verdicts of its own.
struct device_gate {
  gate_device on;
  gate_request request;
  gate_command command;
  gate_outcome outcome;

  /// "gpu-1 (GPU-59e1ec54-…)"
  std::string title() const;
};

/// Runs the gate on one device after the other, so that none disturbs another one. Baseline and candidate
/// take turns on each, and no time of one device is ever held against another's. The request's folder gets a
/// folder for each device; its budget is for each. `commands` repeat the gate on each device alone. Findings
/// of earlier gates are those of the first device: a real change moves all of them, which must not pass for
/// many runs that agree. Throws as run_gate does; records of another GPU than named are a tool failure.
std::vector<device_gate> run_on_devices(const gate_request&, const std::vector<gate_device>&,
                                        const std::vector<gate_command>& commands);

/// What the devices say of one case.
struct case_on_devices {
  std::string name;
  std::vector<std::string> verdicts, changes;  ///< by device; empty where it has none
  std::string verdict;                         ///< the one that weighs most
  weight weighs;
  bool differs = false;  ///< between devices
};

std::vector<case_on_devices> cases_on(const std::vector<device_gate>&);

/// All findings, each with its device as place. A case that fails on one device fails the gate. Of the
/// devices' exit codes the first of 3, 1, 75, 4 counts that any has.
gate_report report_of(const std::vector<device_gate>&);

/// As gate_text of each device, and then the cases that are not SAME on all of them side by side.
std::string devices_text(const std::vector<device_gate>&, bool all, const reports::terminal& = {});
std::string devices_markdown(const std::vector<device_gate>&);
/// Follows reports/schema/devices_gate.schema.json.
nlohmann::ordered_json devices_json(const std::vector<device_gate>&, const gate_command&);

}  // namespace ablate::gate
