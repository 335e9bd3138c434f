#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

namespace ablate::reports {

/// A case with more launches has its counters by kernel name, not by launch.
constexpr std::size_t max_launches_with_counters = 64;

/// `counters.by_name` of a record, from an object {name, values} for each launch and the counters' names as
/// the keys of `values`: for each name {name, launches, values}, a row with the combined values of its
/// launches (combined_counters.h); null where a launch has no value. The names' rows combine into the case's
/// in the same way.
nlohmann::ordered_json kernels_by_name(const nlohmann::ordered_json& launches,
                                       const nlohmann::ordered_json& values);

/// One of its elements as readers see it: {name, launches, values}, with values by name. Null if its row does
/// not match the names.
nlohmann::ordered_json kernel_of_launches(const nlohmann::ordered_json& by_name,
                                          const nlohmann::ordered_json& values);

}  // namespace ablate::reports
