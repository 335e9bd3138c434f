#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ablate {

/// The known name with the smallest edit distance to `name`; nothing if none is close enough to be a typo.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known);

/// "no operation 'voxelise' (did you mean 'voxelize'?); expected one of 'ceilings', 'voxelize'"
std::string no_such(std::string_view kind, std::string_view name, const std::vector<std::string>& known);

/// " (did you mean 'voxelize'?)", or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace ablate
