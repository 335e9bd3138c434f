#pragma once

namespace ablate {

/// The program `ablate`. Returns its exit code: 0 pass, 2 usage, 4 unfit environment, and what `run` returns.
/// Throws bad_input for what the user gave, and anything else for a failure of the tool.
int run_program(int argc, const char* const* argv);

}  // namespace ablate
