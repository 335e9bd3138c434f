#pragma once

#include <filesystem>

namespace ablate {

/// A file of suites/gates that comes with the program; it stands beside its reports/ folder.
std::filesystem::path shipped_gate_file(const char* name);

}  // namespace ablate
