#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/record/record.h"
#include "harness/device/kernel_resources.h"
#include "kernels/common/kernel_launch.h"

namespace ablate {

/// The mangled name of the kernel with this host stub; empty if the stub has no exported symbol.
std::string kernel_symbol(const void* function);

/// The demangled name, or the name itself if it is not mangled.
std::string demangled(const std::string& symbol);

/// A launch as an entry of a record's `kernels`; no occupancy where it cannot be computed.
measured_case::kernel_launch launch_of(const kernel_launch&);
/// The same as JSON; a library whose kernels were not queried is its name and `library`: true.
nlohmann::ordered_json describe(const kernel_launch&);

/// The record's context.ablate.kernels, by demangled name; no spills where they are not known.
std::vector<std::pair<std::string, record::kernel_builds>> static_facts();

}  // namespace ablate
