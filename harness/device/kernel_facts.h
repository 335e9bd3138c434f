#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "kernels/common/launcher.h"

namespace ablate {

/// The compiler's report on one kernel's machine code for one architecture.
struct kernel_resources {
  std::string_view kernel;        ///< mangled name
  std::string_view architecture;  ///< sm_80, sm_90a
  int registers;                  ///< per thread
  int stack_bytes;                ///< per thread
  int spill_store_bytes;          ///< per thread
  int spill_load_bytes;           ///< per thread
  int static_shared_bytes;        ///< per block
};

/// Every kernel of this program, for every architecture that it has machine code for; empty in a build
/// without CUDA. Defined in a source file that the build generates from the compiler's report.
std::span<const kernel_resources> all_kernel_resources();

/// The mangled name of the kernel with this host stub; empty if the stub has no exported symbol.
std::string kernel_symbol(const void* function);

/// The demangled name, or the name itself if it is not mangled.
std::string demangled(const std::string& symbol);

/// A launch as an entry of a record's `kernels`: name (demangled), grid, block, dynamic_shared_bytes, and
/// theoretical_occupancy by architecture (0 to 1, null where it cannot be computed). A library whose kernels
/// were not queried is its name and `library`: true.
nlohmann::ordered_json describe(const kernel_launch&);

/// The record's context.ablate.kernels: demangled name → architecture → registers, spills, stack, static
/// shared memory.
nlohmann::ordered_json static_facts();

}  // namespace ablate
