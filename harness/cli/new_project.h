#pragma once

#include <string>
#include <vector>

namespace ablate {

struct project_file {
  std::string path;  ///< from the project's folder
  std::string text;
};

/// The files of a project for one operation of this name, whose example is complete
/// (harness/cli/new_project/). Throws bad_input for a name that cannot be a namespace, a target and an
/// operation.
std::vector<project_file> new_project(const std::string& name);

}  // namespace ablate
