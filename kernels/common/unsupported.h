#pragma once

#include "kernels/common/launch_error.h"

namespace ablate {

/// What a launch needs and this machine lacks: a library that is opened when it is called, or an algorithm of
/// it. The case is not_applicable, and what() says why.
struct unsupported : launch_error {
  using launch_error::launch_error;
};

}  // namespace ablate
