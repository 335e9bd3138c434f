#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"
#include "oracles/psh_bucket/checked_problem.h"

namespace ablate::psh_bucket {

// In the order of the enumerations.
inline const std::vector<std::string> hash_words = {"z_div",   "z_mod",     "xor_div",
                                                    "xor_mod", "z_top_div", "z_top_mod"};
inline const std::vector<std::string> mode_words = {"strict", "published", "described"};
inline const std::vector<std::string> layout_words = {"compact", "strided"};
inline const std::vector<std::string> quantization_words = {"per_axis", "isotropic"};

constexpr int least_buckets = 32, max_buckets = 8192;

/// Why these axis values are not a valid case, or nothing.
std::optional<std::string> refuses(const axis_values&);

/// The problem at these axes, without buffers. Throws as input_library::point_count does, and input_unfit.
checked_problem problem_at(const axis_values&, const input_library&);

}  // namespace ablate::psh_bucket
