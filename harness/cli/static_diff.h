#pragma once

#include "harness/cli/commands.h"

namespace ablate {

/// `static launches` and `static diff`: what a build launches for a suite, and what differs between two.
void add_static_launches(CLI::App& to);
void add_static_diff(CLI::App& to, invocation&);

}  // namespace ablate
