#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

namespace ablate::reports {

/// A case with more launches has its counters by kernel name, not by launch.
constexpr std::size_t max_launches_with_counters = 64;

/// A number as a record stores it: six digits if it is not an integer, more than any counter reproduces.
nlohmann::ordered_json short_number(const nlohmann::ordered_json&);

/// For each name of `launches`, in the order of their first launches, {name, launches, values}: the number of
/// its launches and their values combined (combined_counters.h), null where a launch has none. `values` are
/// the case's; the names' values combine into them in the same way.
nlohmann::ordered_json kernels_by_name(const nlohmann::ordered_json& launches,
                                       const nlohmann::ordered_json& values);

/// The counters of an entry that was just measured, as a record has them: short numbers; each kernel's values
/// in the order of the case's, and null where it has none; those of many launches by name. What a record
/// already has stays.
void form_counters(nlohmann::ordered_json& entry);

}  // namespace ablate::reports
