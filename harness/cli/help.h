#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ablate {

/// Of a command's `--help`. Options in a group of their own are only named by its groups there, and explained
/// by
/// `--help-all`.
inline constexpr int most_options_of_a_first_screen = 15;

/// Gives the program, and all commands that are added to it afterwards, `--help` and `--help-all` of this
/// form.
void shape_help(CLI::App& program);

/// Moves options of the command from its first screen to a group; CLI11 throws for a name that it lacks.
void group_options(CLI::App& command, const char* group, const std::vector<std::string>& names);

}  // namespace ablate
