#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/common/bf16.h"
#include "kernels/common/half.h"
#include "tests/kernels/backbone/host_pass.h"

namespace ablate::backbone {

constexpr window_shape small_windows{128, 256};

/// A pass of Flash3D, or of a lone block.
struct flash_pass : host_pass {
  std::vector<std::uint16_t> coordinates;

  explicit flash_pass(network n) : host_pass(std::move(n)) {
    const std::int64_t count = steps->is_block() ? 0 : 3 * steps->points();
    for (const float meters : drawn(count, "coordinates")) coordinates.push_back(half_of_float(40 * meters));
    if (steps->is_block())
      for (const float number : drawn(steps->points() * steps->out_channels, "x"))
        x.push_back(bf16_of_float(number));
  }

  problem on_host() override {
    problem p = host_pass::on_host();
    p.coordinates = coordinates.data();
    return p;
  }

  /// A linear layer of zeros.
  void clear(int number) {
    const layer& of = steps->layer_at(number);
    const layer_place& at = steps->place_at(number);
    std::fill_n(weights.matrices.begin() + at.matrix, of.inputs * of.outputs, std::uint16_t{0});
    std::fill_n(weights.vectors.begin() + at.vectors, of.outputs, 0.0f);
  }
};

}  // namespace ablate::backbone
