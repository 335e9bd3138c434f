#pragma once

#include <filesystem>
#include <string>

namespace ablate::reports {

/// The bytes of a file. Throws bad_input if it cannot be read.
std::string read_text_file(const std::filesystem::path&);

/// Writes a file whole, or leaves what was there: throws as new_file does.
void write_text_file(const std::filesystem::path&, const std::string& text);

}  // namespace ablate::reports
