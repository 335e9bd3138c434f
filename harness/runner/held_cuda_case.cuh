#pragma once

#include <memory>

#include "harness/runner/cuda_device.cuh"
#include "harness/runner/executor.h"

namespace ablate {

/// executor::hold on this device.
std::unique_ptr<held_case> hold_on(const cuda_device&, const suite_case&, const workload&,
                                   const input_library&);

}  // namespace ablate
