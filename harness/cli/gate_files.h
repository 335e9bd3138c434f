#pragma once

#include <filesystem>
#include <string>

namespace ablate {

/// A file of suites/gates that comes with the program; it stands beside its reports/ folder.
std::filesystem::path shipped_gate_file(const char* name);

/// Throws bad_input where it cannot be written.
void write_file(const std::filesystem::path&, const std::string& text);

}  // namespace ablate
