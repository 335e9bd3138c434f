#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate {

/// A libcupti that opens.
struct found_cupti {
  std::string path;
  unsigned version = 0;  ///< by cuptiGetVersion; 0: it does not say
};

/// CUDA's major version of what cuptiGetVersion gives: 130001 is of CUDA 13.0, 28 of CUDA 12.9. 0 for 0.
int cuda_major_of_cupti(unsigned version);

/// The newest CUDA major version that a driver runs, by the text of /proc/driver/nvidia/version; nothing
/// where it does not say, as under WSL2.
std::optional<int> cuda_major_of_driver(std::string_view driver_version_text);

/// The place of the one to use: the first that is no newer than the driver, which cannot start a newer one;
/// the first of all where each is newer, or nothing is known of the driver. `found` is not empty.
std::size_t chosen_cupti(const std::vector<found_cupti>& found, std::optional<int> driver_cuda_major);

}  // namespace ablate
