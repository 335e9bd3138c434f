#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "harness/runner/cuda_device.cuh"
#include "harness/suite/suite.h"

namespace ablate {

/// executor::launch_once on this device.
nlohmann::ordered_json launch_for_profiler(const cuda_device&, const suite_case&, const workload&,
                                           const input_library&);

/// executor::launch_bare on this device.
nlohmann::ordered_json launch_for_sanitizer(
    const cuda_device&, const suite_case&, const workload&, const input_library&, bool poisoned,
    const std::function<void(const nlohmann::ordered_json&)>& announce);

}  // namespace ablate
