#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ablate::reports {

/// A case of more launches has its counters by the name of the kernel, not by launch.
constexpr std::size_t most_launches_with_counters = 64;

/// Whether the values of several launches add up: events, cycles and times do; rates, shares and ratios do
/// not.
bool adds_up(std::string_view counter);

/// The counter that a launch's rate or share is to be weighted by for a mean over launches, which then is
/// the sum of what was counted over that of what it is a share of: elapsed or active cycles, or time. Nothing
/// for other ratios, which their own numerator and denominator make.
std::optional<std::string_view> weight_of(std::string_view counter);

/// `counters.by_name` of a record, from an object {name, values} for each launch and the counters' names as
/// the keys of `values`: for each name {name, launches, sums, weighted}. `sums` has the sum over the
/// launches of every counter that adds up, `weighted` the sum of value × weight of every other one that has a
/// weight; null where a launch has no value. Both add up over names too.
nlohmann::ordered_json kernels_by_name(const nlohmann::ordered_json& launches,
                                       const nlohmann::ordered_json& values);

/// What readers see of one of its elements: {name, launches, values}, a rate or share as its weighted mean.
/// Null where its rows do not fit the names.
nlohmann::ordered_json kernel_of_launches(const nlohmann::ordered_json& by_name,
                                          const nlohmann::ordered_json& values);

}  // namespace ablate::reports
