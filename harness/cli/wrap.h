#pragma once

#include <string>
#include <vector>

namespace ablate {

/// `ablate wrap FILE... COMMAND ...` as `ablate COMMAND ...` in a program that has the files' operations,
/// which are registered here. Other calls are left as they are. Throws bad_input for a file, or where no
/// command follows.
std::vector<const char*> with_wrapped_files(std::vector<const char*> words,
                                            const std::vector<std::string>& commands);

}  // namespace ablate
