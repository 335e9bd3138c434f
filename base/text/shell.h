#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ablate::reports {

/// The word quoted for a POSIX shell: in single quotes unless all its characters are literal. If its bytes
/// are not UTF-8 (e.g. a Latin-1 name), UTF-8 text that the shell expands to them.
std::string shell_word(std::string_view);

/// The words of the first command in a shell command line, unquoted.
std::vector<std::string> first_command(std::string_view line);

}  // namespace ablate::reports
