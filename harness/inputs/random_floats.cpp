#include "harness/inputs/random_floats.h"

#include <algorithm>

#include "harness/inputs/random.h"

namespace ablate {

std::vector<float> random_floats(std::int64_t count, std::uint64_t seed, std::string_view purpose) {
  random_stream random(seed, purpose);
  std::vector<float> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), [&] {
    const auto high_bits = static_cast<std::int32_t>(random.next() >> 40);
    return static_cast<float>(high_bits - (1 << 23)) * 0x1p-23f;
  });
  return values;
}

}  // namespace ablate
