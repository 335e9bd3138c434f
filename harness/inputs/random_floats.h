#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ablate {

/// `count` numbers from a random_stream, uniform in [−1, 1): multiples of 2^-23, one stream step each.
std::vector<float> random_floats(std::int64_t count, std::uint64_t seed, std::string_view purpose);

}  // namespace ablate
