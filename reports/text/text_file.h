#pragma once

#include <filesystem>
#include <string>

namespace ablate::reports {

/// The bytes of a file. Throws bad_input if it cannot be read.
std::string read_text_file(const std::filesystem::path&);

/// Writes or overwrites a file. Throws bad_input if it cannot be written.
void write_text_file(const std::filesystem::path&, const std::string& text);

}  // namespace ablate::reports
