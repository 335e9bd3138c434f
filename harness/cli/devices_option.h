#pragma once

#include <string>
#include <vector>

#include "harness/runner/executor.h"

namespace ablate {

/// The GPUs of this machine, or why there are none.
std::vector<gpu_summary> find_gpus(std::string& why_none);

/// The number that `--device` gives. Throws bad_input where there is no such GPU.
int device_index(const std::string& text, const std::vector<gpu_summary>&, const std::string& why_none);

/// What `--devices` names.
struct chosen_devices {
  std::vector<int> gpus;  ///< as CUDA counts them
  long host_workers = 0;  ///< processes that run the host references, where no GPU is named
};

/// Of "all", "0,2", UUIDs or their beginnings, as in CUDA_VISIBLE_DEVICES, or "host", as often as it shall
/// have workers. "all" is one worker on the host where there is no GPU. Throws bad_input, for a GPU named
/// twice, too, and for GPUs beside the host.
chosen_devices devices_of(const std::string& text, const std::vector<gpu_summary>&,
                          const std::string& why_none);

}  // namespace ablate
