#pragma once

#include <stdexcept>

namespace ablate {

/// A case could not be had in the device's memory.
struct out_of_memory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The device is unusable for this process from here on (a fault left a sticky error): the case failed, and
/// the cases after it need a fresh process.
struct device_lost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ablate
