#pragma once

#include <vector>

#include "harness/runner/run.h"
#include "harness/suite/suite.h"

namespace ablate {

/// This many workers for the host references.
std::vector<run_device> host_devices(long workers);

/// The GPUs of the run, whose compute capability becomes that of the target. Throws bad_input.
std::vector<run_device> gpu_devices(const suite&, const run_options&, target&);

/// Throws bad_input unless the devices are of one product and driver, as those of a record are.
void require_one_kind(const std::vector<run_device>&);

}  // namespace ablate
