#include <algorithm>
#include <cmath>

#include "kernels/common/bf16.h"
#include "kernels/network/layers.h"
#include "kernels/pool/pool.h"

namespace ablate::backbone {
namespace {

constexpr std::int64_t alignment = 256;

/// Reserves `count` elements of `bytes` each, rounded up to a multiple of 256 bytes.
std::int64_t take_elements(std::int64_t& used, std::int64_t count, std::int64_t bytes) {
  const std::int64_t at = used, whole = alignment / bytes;
  used += (count + whole - 1) / whole * whole;
  return at;
}

std::vector<float> scaled(std::vector<float> numbers, float center, float reach) {
  for (float& x : numbers) x = center + reach * x;
  return numbers;
}

void append(std::vector<float>& to, const std::vector<float>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

weight_places places_of(const layer_table& table) {
  weight_places places;
  for (const layer& one : table.all) {
    layer_place at;
    if (one.kind == layer_kind::linear) {
      at.matrix = take_elements(places.matrix_elements, std::int64_t{one.inputs} * one.outputs, 2);
      at.bias = take_elements(places.matrix_elements, one.outputs, 2);
      at.vectors = take_elements(places.vector_elements, one.outputs, 4);
    } else {
      at.vectors =
          take_elements(places.vector_elements, (one.kind == layer_kind::norm ? 2 : 4) * one.outputs, 4);
    }
    places.of.push_back(at);
  }
  return places;
}

gradient_places gradient_places_of(const layer_table& table) {
  gradient_places places;
  for (const layer& one : table.all) {
    const bool is_linear = one.kind == layer_kind::linear;
    gradient_place at;
    if (is_linear) at.matrix = take_elements(places.elements, std::int64_t{one.inputs} * one.outputs, 4);
    at.vectors = take_elements(places.elements, (is_linear ? 1 : 2) * one.outputs, 4);
    places.of.push_back(at);
  }
  return places;
}

linear_values values_of_linear(const layer& one, const drawn_numbers& draw) {
  const auto reach = static_cast<float>(1 / std::sqrt(static_cast<double>(one.inputs)));
  linear_values values;
  values.matrix = scaled(draw(std::int64_t{one.inputs} * one.outputs, one.name + ".weight"), 0, reach);
  values.bias = one.has_bias ? scaled(draw(one.outputs, one.name + ".bias"), 0, reach)
                             : std::vector<float>(static_cast<std::size_t>(one.outputs));
  return values;
}

std::vector<float> values_of_batch_norm(const layer& one, const drawn_numbers& draw) {
  std::vector<float> values = scaled(draw(one.outputs, one.name + ".running_mean"), 0, 0.1f);
  append(values, scaled(draw(one.outputs, one.name + ".running_var"), 1, 0.5f));
  append(values, scaled(draw(one.outputs, one.name + ".weight"), 1, 0.5f));
  append(values, scaled(draw(one.outputs, one.name + ".bias"), 0, 0.1f));
  return values;
}

void fold(linear_values& values, const std::vector<float>& norm, int inputs) {
  const std::size_t outputs = values.bias.size(), k = static_cast<std::size_t>(inputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    const float mean = norm[o], variance = norm[outputs + o], gamma = norm[2 * outputs + o],
                beta = norm[3 * outputs + o];
    const float scale = gamma / std::sqrt(variance + pool::norm_epsilon);
    for (std::size_t i = 0; i < k; ++i) values.matrix[o * k + i] *= scale;
    values.bias[o] = (values.bias[o] - mean) * scale + beta;
  }
}

packed_weights pack(const layer_table& table, const weight_places& places, const drawn_numbers& draw,
                    bool folds) {
  packed_weights packed{std::vector<std::uint16_t>(static_cast<std::size_t>(places.matrix_elements)),
                        std::vector<float>(static_cast<std::size_t>(places.vector_elements))};
  for (std::size_t i = 0; i < table.all.size(); ++i) {
    const layer& one = table.all[i];
    const layer_place& at = places.of[i];
    const auto vectors = packed.vectors.begin() + at.vectors;
    if (one.kind == layer_kind::batch_norm) {
      std::ranges::copy(values_of_batch_norm(one, draw), vectors);
    } else if (one.kind == layer_kind::norm) {
      std::ranges::copy(scaled(draw(one.outputs, one.name + ".weight"), 1, 0.5f), vectors);
      std::ranges::copy(scaled(draw(one.outputs, one.name + ".bias"), 0, 0.1f), vectors + one.outputs);
    } else {
      linear_values values = values_of_linear(one, draw);
      if (folds && one.folded >= 0)
        fold(values, values_of_batch_norm(table.all[static_cast<std::size_t>(one.folded)], draw), one.inputs);
      std::ranges::transform(values.matrix, packed.matrices.begin() + at.matrix, bf16_of_float);
      std::ranges::transform(values.bias, packed.matrices.begin() + at.bias, bf16_of_float);
      std::ranges::transform(values.bias, vectors, [](float x) { return float_of_bf16(bf16_of_float(x)); });
    }
  }
  return packed;
}

}  // namespace ablate::backbone
