#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/common/launcher.h"

namespace ablate {

/// A device profile: what `plan` and the static facts know about a chip without access to one.
struct chip {
  std::string name;     ///< a100, h100, h200
  std::string silicon;  ///< GA100, GH100: the name under which CUPTI knows the counters
  int compute_capability = 0;
  std::string architecture;  ///< the machine code that runs there: sm_80, sm_90a
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  // From the data sheet; FLOP/s without sparsity, sums in fp32.
  double dram_bytes_per_s = 0;
  double tensor_bf16_flops_per_s = 0, fma_f32_flops_per_s = 0;
  std::size_t shared_bytes_per_multiprocessor = 0;
  std::size_t shared_bytes_per_block = 0;  ///< opt-in limit
  std::size_t shared_bytes_reserved_per_block = 0;
  int warps_per_multiprocessor = 0;
  int blocks_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;

  device_limits limits() const { return {multiprocessors, shared_bytes_per_block}; }
};

/// a100, h100, h200: the chips that the static facts cover.
const std::vector<chip>& chips();
/// Other boards with the same silicon, per their data sheets: a100_40gb, a100_pcie, h100_pcie. Boards for
/// which no single data sheet gives SMs, L2 and bandwidth (H100 NVL, H200 NVL, GH200) are left out.
const std::vector<chip>& other_boards();
/// In both lists; null if there is none of that name.
const chip* find_chip(std::string_view name);

/// The profile for a GPU's product name (as the driver gives it, "NVIDIA H200"); null if there is none.
const chip* chip_of_product(std::string_view product_name);

/// CUPTI's name for the silicon, whatever the board: compute capability 80 is always GA100, 90 always GH100.
/// Nothing for others.
std::optional<std::string> silicon_of(int compute_capability);
/// "sm_90a", or e.g. "sm_100" for a GPU that this program has no machine code for.
std::string architecture_of(int compute_capability);

}  // namespace ablate
