#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ablate {

/// A file of suites/gates that comes with the program; it stands beside its reports/ folder.
std::filesystem::path shipped_gate_file(const char* name);

/// A folder of suites/ that speaks of this program's operations, gates or claims, or with "" all of it: it
/// comes with the program, or, of a program outside of Ablate's tree, stands in its project, which is taken
/// to be the current folder.
std::filesystem::path project_suites(const char* folder);

/// The file of accepted changes: the one that was given, else that of the project. Nothing where a project
/// has none.
std::optional<std::filesystem::path> accepted_file(const std::string& given);

}  // namespace ablate
