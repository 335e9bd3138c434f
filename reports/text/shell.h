#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ablate::reports {

/// The word as a POSIX shell takes it: in single quotes unless all its characters mean themselves. Where
/// its bytes are no UTF-8 (a name in Latin-1, say), text that is, and that a shell turns into them.
std::string shell_word(std::string_view);

/// The words of the first command in a line that a shell would take, without their quotes.
std::vector<std::string> first_command(std::string_view line);

}  // namespace ablate::reports
