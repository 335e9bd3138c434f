#pragma once

#include <stdexcept>

#include "base/text/bad_input.h"

namespace ablate {

// Input errors affect only the cases that need the input; the others run. A broken point file is a plain
// bad_input: its cases are `failed`.

/// A point file that is not where it should be: its cases are `input_missing`.
struct input_missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A valid input that does not fit the axes: too few points or voxels, more than an operation accepts, or
/// coordinates outside its range. Its cases are `not_applicable`.
struct input_unfit : bad_input {
  using bad_input::bad_input;
};

}  // namespace ablate
