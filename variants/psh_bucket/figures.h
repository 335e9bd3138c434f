#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// What the buckets are worth, of outputs on the host; `homes`: the bucket of each point's hash.
nlohmann::ordered_json quality(const problem& host, std::span<const std::uint16_t> homes);

/// Points from above, by bucket and scope (Flash3D, Figure 13).
nlohmann::ordered_json picture(const problem& host, const std::string& title);

/// Figures of the instrumented form; null where the variant has none.
nlohmann::ordered_json read_instruments(std::span<const std::uint64_t> counts);

}  // namespace ablate::psh_bucket
