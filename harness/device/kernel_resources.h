#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ablate {

/// The compiler's report on one kernel's machine code for one architecture.
struct kernel_resources {
  std::string_view kernel;                                 ///< mangled name
  std::string_view architecture;                           ///< sm_80, sm_90a
  int registers;                                           ///< per thread
  int stack_bytes;                                         ///< per thread
  std::optional<int> spill_store_bytes, spill_load_bytes;  ///< per thread; machine code does not tell them
  int static_shared_bytes;                                 ///< per block
};

/// Called before main by the source files that the build makes of the compiler's reports: one for Ablate's
/// own kernels, one for each program's. The table is not copied.
bool register_kernel_resources(std::span<const kernel_resources> table);

/// Every kernel of this program, for every architecture that it has machine code for, by name and
/// architecture; empty in a build without CUDA. Throws std::logic_error if two tables differ on a kernel.
std::span<const kernel_resources> all_kernel_resources();

}  // namespace ablate
