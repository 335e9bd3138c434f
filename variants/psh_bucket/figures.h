#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// Quality figures of the buckets, for a problem with host pointers; `homes` are home_buckets(p).
nlohmann::ordered_json quality(const problem&, std::span<const std::uint16_t> homes);

/// Where the buckets are, for a problem with host pointers: a sample of points to plot.
nlohmann::ordered_json picture(const problem&, const std::string& title);

/// Figures of the instrumented form; null if the variant has none.
nlohmann::ordered_json read_instruments(std::span<const std::uint64_t> counts);

}  // namespace ablate::psh_bucket
