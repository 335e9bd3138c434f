#pragma once

#include "harness/runner/cuda_case.cuh"
#include "harness/timing/timed.h"

namespace ablate {

/// Samples a region of a case, by the way of timing that its cache state and its clock call for.
timed time_region(const cuda_case&, const timed_region&, const sampling&);

/// Times a case, delayed if its spec says so. The times, and the state of the device around them, go into its
/// facts.
timed time_case(const cuda_case&, const sampling&, measured_case& facts);

}  // namespace ablate
