#pragma once

#include <nlohmann/json.hpp>

#include "harness/runner/cuda_case.cuh"
#include "harness/timing/timed.h"

namespace ablate {

/// Samples a region of a case, by the way of timing that its cache state and its clock call for.
timed time_region(const cuda_case&, const timed_region&, const sampling&);

/// A case's samples, and the state of the device around them.
struct timed_case {
  timed samples;
  nlohmann::ordered_json device_state;  ///< null if it cannot be read
};

/// Times a case, delayed if its spec says so.
timed_case time_case(const cuda_case&, const sampling&);

}  // namespace ablate
