#include "variants/half_coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "harness/inputs/input_errors.h"
#include "kernels/common/half.h"
#include "variants/cloud_axes.h"

namespace ablate {
namespace {

/// Distinct triples of numbers.
template <class Number>
std::int64_t distinct(std::span<const Number> xyz) {
  std::vector<std::array<Number, 3>> places(xyz.size() / 3);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
  std::ranges::sort(places);
  return std::ranges::unique(places).begin() - places.begin();
}

}  // namespace

half_coordinates halves_of(std::span<const float> xyz, std::span<const std::uint32_t> ends,
                           const axis_values& at, const input_library& inputs) {
  half_coordinates halves;
  halves.xyz.reserve(xyz.size());
  for (std::size_t i = 0; i < xyz.size(); ++i) {
    halves.xyz.push_back(half_of_float(xyz[i]));
    if (!std::isfinite(float_of_half(halves.xyz.back())))
      throw input_unfit(name_of_cloud(at, inputs), fmt::format("point {}", i / 3),
                        fmt::format("expected coordinates that are finite as fp16, found {}", xyz[i]));
  }
  std::size_t begin = 0;
  for (const std::uint32_t end : ends) {
    const std::size_t numbers = 3 * (end - begin);
    halves.positions += distinct(xyz.subspan(3 * begin, numbers));
    halves.fp16_positions += distinct(std::span<const std::uint16_t>(halves.xyz).subspan(3 * begin, numbers));
    begin = end;
  }
  if (2 * halves.fp16_positions < halves.positions)
    throw input_unfit(name_of_cloud(at, inputs), "",
                      fmt::format("expected points that fp16 tells apart, but of {} distinct positions it "
                                  "leaves {}: cut the cloud to a smaller extent",
                                  halves.positions, halves.fp16_positions));
  return halves;
}

void add_facts_of(const half_coordinates& halves, nlohmann::ordered_json& facts) {
  facts["positions"] = halves.positions;
  facts["fp16_positions"] = halves.fp16_positions;
}

}  // namespace ablate
