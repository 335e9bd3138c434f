#pragma once

#include <string>
#include <vector>

namespace ablate {

struct project_file {
  std::string path;  ///< from the project's folder
  std::string text;
};

/// The files of a project for one operation of this name, whose example is complete
/// (harness/cli/new_project/). `prefix` is where Ablate is installed; empty: the environment says so. Throws
/// bad_input for a name that cannot be a namespace, a target and an operation.
std::vector<project_file> new_project(const std::string& name, const std::string& prefix);

/// What such a project has besides for pull requests: a suite, a gate and its workflow, claims, a README.
std::vector<project_file> new_gate(const std::string& name);

}  // namespace ablate
