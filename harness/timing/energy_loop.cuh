#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <optional>

#include "harness/timing/energy_meter.h"

namespace ablate {

struct metered_loop {
  metered_power power;
  double round_us;  ///< of one round of the work
};

/// Keeps the device at work, a round enqueued while another runs, until its counter of energy has moved by
/// enough steps. A round should take some milliseconds. Nothing if the counter cannot be read or does not
/// move.
std::optional<metered_loop> meter_rounds(const std::function<void()>& enqueue_round, cudaStream_t,
                                         const std::function<std::optional<double>()>& joules,
                                         const energy_rule& = {});

/// The device's power while nothing runs.
std::optional<metered_power> meter_idle(const std::function<std::optional<double>()>& joules,
                                        const energy_rule& = {});

}  // namespace ablate
