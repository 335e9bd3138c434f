#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/device/kernel_resources.h"
#include "kernels/common/kernel_launch.h"

namespace ablate {

/// The mangled name of the kernel with this host stub; empty if the stub has no exported symbol.
std::string kernel_symbol(const void* function);

/// The demangled name, or the name itself if it is not mangled.
std::string demangled(const std::string& symbol);

/// A launch as an entry of a record's `kernels`: name (demangled), grid, block, dynamic_shared_bytes, and
/// theoretical_occupancy by architecture (0 to 1, null where it cannot be computed). A library whose kernels
/// were not queried is its name and `library`: true.
nlohmann::ordered_json describe(const kernel_launch&);

/// The record's context.ablate.kernels: demangled name → architecture → registers, spills (null where they
/// are not known), stack, static shared memory.
nlohmann::ordered_json static_facts();

}  // namespace ablate
