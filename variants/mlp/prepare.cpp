#include "variants/mlp/prepare.h"

#include <array>
#include <memory>
#include <vector>

#include "harness/inputs/random.h"
#include "variants/checked_tensors.h"
#include "variants/mlp/buffers.h"

namespace ablate::mlp {
namespace {

using dense_layers::generated_bf16;
using dense_layers::tensor;

constexpr std::array<const char*, output_count> names = {"y", "gradient of x", "gradients of the first layer",
                                                         "gradients of the second layer",
                                                         "gradients of the norm"};

/// Whether the host samples an output in this turn: gradients of parameters take it a pass over all rows.
bool is_sampled(const checked_problem& p, output of, int turn) {
  if (!p.has(of)) return false;
  constexpr double max_products = 2e7;
  const double of_row = static_cast<double>(p.channels) * p.channels;
  switch (of) {
    case output::norm_gradient:
      return turn < 2 && 12 * of_row * static_cast<double>(p.rows) < max_products;
    case output::first_gradient:
      return turn < 4;
    case output::second_gradient:
      return turn < 16;
    default:
      return true;
  }
}

/// Elements of all outputs in turn: of the corners, and of others anywhere.
std::vector<sampled_element> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled elements");
  const auto below = [&](std::int64_t bound) { return random.below(static_cast<std::uint32_t>(bound)); };
  std::vector<sampled_element> elements;
  for (int turn = 0; static_cast<std::int64_t>(elements.size()) < p.sample_count; ++turn)
    for (std::int32_t of = 0; of < output_count; ++of) {
      const auto which = static_cast<output>(of);
      if (!is_sampled(p, which, turn)) continue;
      const std::int64_t rows = p.rows_of(which), columns = p.columns_of(which);
      elements.push_back({of,
                          static_cast<std::int32_t>(turn == 0   ? 0
                                                    : turn == 1 ? columns - 1
                                                                : below(columns)),
                          turn == 0   ? 0
                          : turn == 1 ? rows - 1
                                      : below(rows)});
    }
  elements.resize(static_cast<std::size_t>(p.sample_count));
  return elements;
}

// Compulsory, forward: X, which is the residual too, and the weights read once, Y written once. Backward: X,
// dY, Z and the weights read, dX and the parameters' gradients written; four products of the forward's size,
// two a layer.
work_model work(const checked_problem& p) {
  const auto rows = static_cast<double>(p.rows), c = static_cast<double>(p.channels),
             h = static_cast<double>(p.hidden_columns()), z = static_cast<double>(p.first_columns());
  const double parameters = 4 * (z + 3 * c), weights = c * (z + h);
  const double read = 2 * rows * c + 2 * weights + parameters + (p.is_backward ? 2 * rows * (c + z) : 0);
  const double written = 2 * rows * c + (p.is_backward ? 4 * weights + parameters : 0);
  return {.bytes = read + written,
          .written_bytes = written,
          .flops = (p.is_backward ? 4 : 2) * rows * weights,
          .flop_pipe = "tensor_bf16"};
}

/// Some elements of each input.
std::vector<std::uint16_t> some_inputs(const checked_problem& p) {
  std::vector<std::uint16_t> bits;
  for (std::int64_t at = 0; at < 64; ++at) {
    bits.push_back(generated_bf16(p.seed, tensor::input, at, 1));
    bits.push_back(generated_bf16(p.seed, tensor::weight, at, p.first_spread));
    bits.push_back(generated_bf16(p.seed, tensor::second_weight, at, p.second_spread));
    for (const tensor of : {tensor::gradient, generated_z}) bits.push_back(generated_bf16(p.seed, of, at, 1));
  }
  return bits;
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<dense_layers::known_elements<sampled_element>>();
  known->tensors = dense_layers::y_and_gradients<output>(p, names);
  known->samples = choose_samples(p, inputs.seed());
  for (const sampled_element& at : known->samples) known->exact.push_back(reference_element(p, at));

  workload w = dense_layers::checked_workload<sampled_element>(known, p, buffers);
  w.work = work(p);
  const std::vector<std::uint16_t> hashed = some_inputs(p);
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size() * sizeof(std::uint16_t))},
             {"rows", p.rows},
             {"channels", p.channels},
             {"hidden", p.hidden_columns()}};
  return w;
}

}  // namespace ablate::mlp
