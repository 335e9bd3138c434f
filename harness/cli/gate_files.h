#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ablate {

/// A file of suites/gates shipped with the program, beside its reports/ folder.
std::filesystem::path shipped_gate_file(const char* name);

/// A folder of suites/ about this program's operations, gates or claims; with "" all of suites/. It is
/// shipped with the program or, for a program outside of Ablate's tree, is in its project, assumed to be the
/// current folder.
std::filesystem::path project_suites(const char* folder);

/// The file of accepted changes: the one that was given, else that of the project. Nothing where a project
/// has none.
std::optional<std::filesystem::path> accepted_file(const std::string& given);

}  // namespace ablate
