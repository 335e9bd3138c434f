#pragma once

#include <string>
#include <string_view>

namespace ablate::reports {

/// The word as a POSIX shell takes it: in single quotes unless all its characters mean themselves.
std::string shell_word(std::string_view);

}  // namespace ablate::reports
