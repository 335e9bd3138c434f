#pragma once

#include <cstddef>
#include <optional>
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

/// a100, h100, h200: what the static facts are of.
const std::vector<chip>& chips();
/// Other boards of the same silicon, as their data sheets have them: a100_40gb, a100_pcie, h100_pcie. Those
/// whose SMs, L2 and bandwidth no data sheet states together (H100 NVL, H200 NVL, GH200) are left out.
const std::vector<chip>& other_boards();
/// Of both; null where there is none of that name.
const chip* find_chip(std::string_view name);

/// The profile of a GPU of this product name (as the driver gives it, "NVIDIA H200"); null where there is
/// none.
const chip* chip_of_product(std::string_view product_name);

/// CUPTI's name of the silicon, whatever the board: all GPUs of compute capability 80 are GA100, of 90 GH100.
/// Nothing of others.
std::optional<std::string> silicon_of(int compute_capability);
/// "sm_90a", or "sm_100" of a GPU that this program holds no machine code for.
std::string architecture_of(int compute_capability);

}  // namespace ablate
