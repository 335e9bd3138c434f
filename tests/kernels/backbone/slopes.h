#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/backbone/host_pass.h"

// Gradients against differences of the oracle's own forward pass.

namespace ablate::backbone {

/// Σ out · dOut, whose gradients these are.
inline double loss_of(host_pass& pass) {
  const std::vector<double> out = pass.output();
  double sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    sum += out[i] * static_cast<double>(float_of_bf16(pass.out_gradient[i]));
  return sum;
}

/// Of the loss by a number, from the loss at the numbers as far below and above it.
template <class Number, class Move>
double slope_at(host_pass& pass, Number& number, const Move& moved) {
  const Number kept = number;
  const auto [low, below] = moved(kept, -1);
  const auto [high, above] = moved(kept, 1);
  number = low;
  const double loss_below = loss_of(pass);
  number = high;
  const double loss_above = loss_of(pass);
  number = kept;
  return (loss_above - loss_below) / (above - below);
}

/// A few units in the last place, in the same binade or beside it.
inline std::pair<std::uint16_t, double> moved_bf16(std::uint16_t bits, int by) {
  const auto moved = static_cast<std::uint16_t>(bits + by);
  return {moved, static_cast<double>(float_of_bf16(moved))};
}
inline std::pair<float, double> moved_fp32(float x, int by) {
  const float moved = x + 1e-3f * static_cast<float>(by);
  return {moved, static_cast<double>(moved)};
}

/// Differences are off by their curvature and by the loss's own rounding.
inline void expect_near(double gradient, double slope, double scale, const std::string& what) {
  EXPECT_NEAR(gradient, slope, 2e-3 * (std::abs(slope) + scale)) << what;
}

inline double typical(const std::vector<double>& numbers) {
  return std::sqrt(std::inner_product(numbers.begin(), numbers.end(), numbers.begin(), 0.0) /
                   static_cast<double>(numbers.size()));
}

/// An element in each of a layer's parameters.
inline void expect_gradients_of_layer(host_pass& pass, const pass_values& right, int number) {
  const network& n = *pass.steps;
  const layer& of = n.layer_at(number);
  const layer_place& at = n.place_at(number);
  const gradient_place& place = n.gradients.of[static_cast<std::size_t>(number)];
  const bool is_linear = of.kind == layer_kind::linear;
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return typical({right.gradients.begin() + first, right.gradients.begin() + first + count});
  };
  const int vectors = (is_linear ? 1 : 2) * of.outputs;
  for (const int element : {1, vectors - 2})
    expect_near(
        right.gradients[static_cast<std::size_t>(place.vectors + element)],
        slope_at(pass, pass.weights.vectors[static_cast<std::size_t>(at.vectors + element)], moved_fp32),
        part(place.vectors, vectors), of.name + "'s vectors");
  if (!is_linear) return;
  const int count = of.inputs * of.outputs;
  for (const int element : {3, count - 5})
    expect_near(
        right.gradients[static_cast<std::size_t>(place.matrix + element)],
        slope_at(pass, pass.weights.matrices[static_cast<std::size_t>(at.matrix + element)], moved_bf16),
        part(place.matrix, count), of.name + "'s matrix");
}

/// Of a block alone, of 256 rows and 32 channels: of all its layers, and of elements of its first and last
/// row.
inline void expect_gradients_of_block(host_pass& pass) {
  const pass_values right = reference_pass(pass.on_host(), *pass.steps, rounding::none);
  const std::size_t layers = pass.steps->layers.all.size();
  for (std::size_t i = 0; i < layers; ++i) expect_gradients_of_layer(pass, right, static_cast<int>(i));
  for (const std::size_t element : {5u, 255u * 32u + 30u})
    expect_near(right.x_gradient[element], slope_at(pass, pass.x[element], moved_bf16),
                typical(right.x_gradient), "rows");
}

/// Moves every so-manieth parameter of a layer one way, a unit in the last place or a thousandth, and gives
/// what the loss changes by according to the gradients: a number a parameter.
inline std::vector<double> move_layer(host_pass& pass, const pass_values& right, int number, int by,
                                      int every) {
  const network& n = *pass.steps;
  const layer& of = n.layer_at(number);
  const layer_place& at = n.place_at(number);
  const gradient_place& place = n.gradients.of[static_cast<std::size_t>(number)];
  const bool is_linear = of.kind == layer_kind::linear;
  std::vector<double> changes;
  // Of a batch norm, gamma and beta follow the running statistics.
  const int first = of.kind == layer_kind::batch_norm ? 2 * of.outputs : 0,
            vectors = (is_linear ? 1 : 2) * of.outputs;
  for (int i = 0; i < vectors; i += every) {
    float& x = pass.weights.vectors[static_cast<std::size_t>(at.vectors + first + i)];
    const auto [moved, to] = moved_fp32(x, i % 3 == 0 ? by : -by);
    changes.push_back((to - static_cast<double>(x)) *
                      right.gradients[static_cast<std::size_t>(place.vectors + i)]);
    x = moved;
  }
  for (int i = 0; is_linear && i < of.inputs * of.outputs; i += every) {
    std::uint16_t& x = pass.weights.matrices[static_cast<std::size_t>(at.matrix + i)];
    const auto [moved, to] = moved_bf16(x, i % 5 < 2 ? by : -by);
    changes.push_back((to - static_cast<double>(float_of_bf16(x))) *
                      right.gradients[static_cast<std::size_t>(place.matrix + i)]);
    x = moved;
  }
  return changes;
}

/// The loss along a direction in the parameters of these layers: in fewer of them where it bends.
inline void expect_slopes_of_layers(host_pass& pass, const pass_values& right, const std::vector<int>& layers,
                                    int every = 1) {
  const packed_weights kept = pass.weights;
  double expected = 0, squares = 0, losses[2];
  for (const int by : {-1, 1}) {
    for (const int number : layers)
      for (const double change : move_layer(pass, right, number, by, every)) {
        expected += by * change;
        squares += change * change;
      }
    losses[by > 0] = loss_of(pass);
    pass.weights = kept;
  }
  EXPECT_NEAR(losses[1] - losses[0], expected, 0.02 * std::sqrt(squares))
      << pass.steps->layer_at(layers[0]).name;
}

}  // namespace ablate::backbone
