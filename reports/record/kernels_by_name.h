#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

namespace ablate::reports {

/// A case of more launches has its counters by the name of the kernel, not by launch.
constexpr std::size_t most_launches_with_counters = 64;

/// `counters.by_name` of a record, from an object {name, values} for each launch and the counters' names as
/// the keys of `values`: for each name {name, launches, values}, a row of what its launches come to together
/// (combined_counters.h); null where a launch has no value. Rows of names make those of the case in the same
/// way.
nlohmann::ordered_json kernels_by_name(const nlohmann::ordered_json& launches,
                                       const nlohmann::ordered_json& values);

/// What readers see of one of its elements: {name, launches, values}, the values by their names. Null where
/// its row does not fit the names.
nlohmann::ordered_json kernel_of_launches(const nlohmann::ordered_json& by_name,
                                          const nlohmann::ordered_json& values);

}  // namespace ablate::reports
