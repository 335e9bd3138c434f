#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ablate::process {

/// Where PATH has a program of this name, or nothing.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace ablate::process
