#pragma once

#include <optional>
#include <string_view>

#include "harness/version.h"

namespace ABLATE_ABI {

/// Cache contents when a sample begins. `host` is the state of reference runs on a machine without
/// a GPU.
enum class cache_state { cold_clean, hot, rotating, host };

/// As in a case id: cold-clean, hot, rotating, host.
std::string_view to_string(cache_state);
std::optional<cache_state> parse_cache_state(std::string_view);

}  // namespace ABLATE_ABI
