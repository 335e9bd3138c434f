#pragma once

#include <string_view>

#include "harness/runner/bound_case.cuh"
#include "harness/runner/output_check.h"

namespace ablate {

/// Compares the outputs of every buffer set as the timed launches left them, so nothing may have been
/// launched on them since. Correct outputs after a batch may stem from earlier launches, so the same batch
/// runs once more on cleared outputs, and on other inputs where the operation has such. Batches that
/// accumulate into their outputs leave nothing to compare; a graph with one launch per set runs on cleared
/// outputs instead. Throws wrong_output; returns `check.timed` of the record: ok, or accumulated.
std::string_view check_timed_outputs(bound_case&, const timed&, output_check&);

}  // namespace ablate
