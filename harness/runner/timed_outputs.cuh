#pragma once

#include <string_view>

#include "harness/runner/bound_case.cuh"
#include "harness/runner/output_check.h"

namespace ablate {

/// Compares the outputs of every set of buffers as the timed launches left them, so nothing may have been
/// launched on them since. Right outputs that a batch leaves may be those of the launches before it: the same
/// batch follows once more on cleared outputs. Batches that add to each other's outputs leave nothing to
/// compare; there it is a graph of one launch a set. Throws wrong_output; returns `check.timed` of the
/// record: ok, or accumulated.
std::string_view check_timed_outputs(bound_case&, const timed&, output_check&);

}  // namespace ablate
