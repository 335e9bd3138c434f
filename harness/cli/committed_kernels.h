#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ablate {

/// What the tree says of the kernels to a build that holds none: suites/gates/static_baseline.json, which the
/// static gate keeps equal to what the compiler reports.
struct committed_kernels {
  std::string file;              ///< from the tree's root; empty where it is not found
  nlohmann::ordered_json facts;  ///< demangled name → architecture → registers …, as in `list`
  std::map<std::string, nlohmann::ordered_json> launches;  ///< by "operation/variant": an array, as in `list`
};

/// Throws bad_input where the file is there and cannot be read.
committed_kernels read_committed_kernels();

}  // namespace ablate
