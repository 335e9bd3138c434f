#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ablate::gate {

/// What runs of a kernel on one architecture. The hash covers its instructions, registers, stack, shared
/// memory, parameters, launch bounds and constants, and whatever else of its cubin it may reach: other
/// functions, constant memory, initialized globals. Line tables, debug frames, build paths and the tool's
/// version stay out. Kernels with equal hashes do the same; unequal ones may.
struct kernel_machine_code {
  std::string hash;                          ///< 64 hexadecimal digits
  std::vector<std::size_t> parameter_bytes;  ///< by position; unknown of PTX
};

/// By mangled name, without what nvcc adds of the file's path to names local to it, and by
/// architecture (sm_90a, or compute_80 for PTX, whose kernels all have the hash of their module).
using machine_code = std::map<std::pair<std::string, std::string>, kernel_machine_code>;

/// All kernels of a program. Throws std::runtime_error for a file that is not ELF or ends early.
machine_code machine_code_of(std::string_view program);

/// A mangled name without what nvcc makes of the path and contents of the file that it is local to.
std::string without_file(std::string_view mangled);

/// One hash of several, in their order.
std::string joined_hash(const std::vector<std::string>& hashes);

}  // namespace ablate::gate
