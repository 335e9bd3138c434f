#pragma once

#include <stdexcept>

#include "reports/text/bad_input.h"

namespace ablate {

// What an input costs the cases that need it; the others run. A point file that is broken is a plain
// bad_input, its cases are `failed`.

/// A point file that is not where it should be: its cases are `input_missing`.
struct input_missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A sound input that is not what the axes ask for: fewer points or voxels, more than an operation takes, or
/// coordinates outside its range. Its cases are `not_applicable`.
struct input_unfit : bad_input {
  using bad_input::bad_input;
};

}  // namespace ablate
