#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/launcher.h"

namespace ablate {

/// A device profile: what `plan` and the static facts know of a chip without having one.
struct chip {
  std::string name;     ///< a100, h100, h200
  std::string silicon;  ///< GA100, GH100: the name that CUPTI gives the counters
  int compute_capability = 0;
  std::string architecture;  ///< the machine code that runs there: sm_80, sm_90a
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  double dram_bytes_per_s = 0;  ///< of the data sheet
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;  ///< opt-in limit
  std::size_t shared_bytes_reserved_per_block = 0;
  int warps_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;

  device_limits limits() const { return {multiprocessors, shared_bytes_per_block}; }
};

/// a100, h100, h200.
const std::vector<chip>& chips();
const chip* find_chip(std::string_view name);

/// The chip that a GPU of this product name (as the driver gives it, "NVIDIA H200") is; null when it is none
/// of ours.
const chip* chip_of_product(std::string_view product_name);

}  // namespace ablate
