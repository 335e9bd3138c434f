#pragma once

#include <string>
#include <string_view>

namespace ablate::reports {

/// Text of a file on one line that neither drives a terminal nor commands a CI runner, whoever wrote it:
/// control characters and those that turn the direction of writing are shown as \x1b or \u202e. GitHub takes
/// a line that begins with "::error::" for a command, and "##[" anywhere, so "::" that begins a word and
/// "##[" are shown with an escape too.
std::string plain_text(std::string_view);

}  // namespace ablate::reports
