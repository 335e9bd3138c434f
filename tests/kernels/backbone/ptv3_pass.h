#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernels/backbone/networks.h"
#include "kernels/common/half.h"
#include "oracles/backbone/counted_levels.h"
#include "tests/kernels/backbone/host_pass.h"

namespace ablate::backbone {

constexpr int small_window = 128;
using cell = std::array<std::int32_t, 3>;

/// Distinct cells, as many as wanted, in corners of 8 · 8 · 6 cells of the last level: near enough to each
/// other to be neighbors, and far enough to be a window there too.
inline std::vector<cell> drawn_cells(std::int64_t count, const std::string& name) {
  std::set<cell> met;
  std::vector<cell> cells;
  for (std::int64_t more = 4 * count; static_cast<std::int64_t>(cells.size()) < count; more *= 2) {
    const std::vector<float> numbers = drawn(3 * more, name);
    for (std::size_t i = 0; i + 2 < numbers.size() && static_cast<std::int64_t>(cells.size()) < count;
         i += 3) {
      cell c;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const float place = (numbers[i + axis] + 1) / 2 * (axis == 2 ? 6 : 8), corner = std::floor(place);
        c[axis] = static_cast<std::int32_t>(16 * corner + std::floor(4 * (place - corner)));
      }
      if (met.insert(c).second) cells.push_back(c);
    }
  }
  return cells;
}

inline std::vector<std::int32_t> flat_cells(const std::vector<std::vector<cell>>& instances) {
  std::vector<std::int32_t> flat;
  for (const auto& instance : instances)
    for (const cell& c : instance) flat.insert(flat.end(), c.begin(), c.end());
  return flat;
}

inline network small_network(const std::vector<std::vector<cell>>& instances, layer_form form,
                             const std::string& model_name, window_shape shape = {},
                             pass_kind pass = pass_kind::inference, const drop_path& drops = {}) {
  std::vector<std::uint32_t> ends;
  for (const auto& instance : instances)
    ends.push_back((ends.empty() ? 0 : ends.back()) + static_cast<std::uint32_t>(instance.size()));
  shape.bucket = 128;
  shape.window = small_window;
  return network_of_ptv3(model_of(model_name), grid_levels_of(flat_cells(instances), ends, level_count),
                         shape, form, index_order::as_needed, pass, drops);
}

/// A pass of PTv3, or of a model between it and Flash3D.
struct ptv3_pass : host_pass {
  std::vector<std::vector<cell>> instances;
  std::vector<std::int32_t> cells;
  std::vector<float> positions;
  std::vector<std::uint16_t> coordinates;

  explicit ptv3_pass(const std::vector<std::vector<cell>>& given, layer_form form = layer_form::library,
                     const std::string& model_name = "small_ptv3", const window_shape& shape = {},
                     pass_kind pass = pass_kind::inference, const drop_path& drops = {})
      : host_pass(small_network(given, form, model_name, shape, pass, drops)),
        instances(given),
        cells(flat_cells(given)) {
    for (const std::int32_t c : cells) positions.push_back(0.05f * static_cast<float>(c));
    for (const float meters : positions) coordinates.push_back(half_of_float(meters));
    for (const float number : drawn(4 * steps->points(), "features")) x.push_back(bf16_of_float(number));
    cells.resize(static_cast<std::size_t>(3 * steps->pitch()));
  }

  problem on_host() override {
    problem p = host_pass::on_host();
    p.cells = cells.data();
    p.positions = positions.data();
    p.coordinates = coordinates.data();
    return p;
  }
};

}  // namespace ablate::backbone
