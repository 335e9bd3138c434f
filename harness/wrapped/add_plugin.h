#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ablate::wrapped {

/// Opens a plugin (harness/plugin.h), which stays open, and registers its operations. Gives their names.
/// Throws bad_input: it cannot be opened, is no plugin, or describes an operation that cannot be run.
std::vector<std::string> add_plugin(const std::filesystem::path&);

}  // namespace ablate::wrapped
