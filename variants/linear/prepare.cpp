#include "variants/linear/prepare.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "harness/inputs/random.h"
#include "variants/checked_tensors.h"
#include "variants/linear/buffers.h"

namespace ablate::linear {
namespace {

using dense_layers::tensor;

constexpr std::array<const char*, output_count> names = {"y", "gradient of x",
                                                         "gradients of the weight and the bias"};

/// Elements of all outputs in turn: of the corners, and of others anywhere. An element of the weight's
/// gradient takes the host a pass over all rows: few of them.
std::vector<sampled_element> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled elements");
  const auto below = [&](std::int64_t bound) { return random.below(static_cast<std::uint32_t>(bound)); };
  constexpr int max_of_weights = 16;
  std::vector<sampled_element> elements;
  for (int turn = 0; static_cast<std::int64_t>(elements.size()) < p.sample_count; ++turn)
    for (std::int32_t of = 0; of < output_count; ++of) {
      const auto which = static_cast<output>(of);
      const bool is_of_weights = which == output::weight_gradient;
      if (!p.has(which) || (is_of_weights && turn >= max_of_weights && p.sample_count > max_of_weights))
        continue;
      const std::int64_t rows = p.rows_of(which), columns = p.columns_of(which);
      elements.push_back({of,
                          static_cast<std::int32_t>(turn == 0  ? 0
                                                    : turn < 3 ? columns - 1
                                                               : below(columns)),
                          turn == 0 || turn == 2 ? 0
                          : turn == 1            ? rows - 1
                                                 : below(rows)});
    }
  elements.resize(static_cast<std::size_t>(p.sample_count));
  return elements;
}

// Compulsory: each operand read once, each output written once; X, W and dY once, whatever they are operands
// of.
work_model work(const checked_problem& p) {
  const auto rows = static_cast<double>(p.rows), k = static_cast<double>(p.inputs),
             n = static_cast<double>(p.outputs);
  const bool y = p.has(output::y), dx = p.has(output::input_gradient), dw = p.has(output::weight_gradient);
  double read = 0, written = 0;
  if (y || dw) read += 2 * rows * k;
  if (y || dx) read += 2 * n * k;
  if (y) read += 4 * n + (p.behind == epilogue::residual ? 2 * rows * n : 0) + (p.has_norm ? 8 * k : 0);
  if (dx || dw) read += 2 * rows * n;
  if (y) written += 2 * rows * p.columns();
  if (dx) written += 2 * rows * k;
  if (dw) written += 4 * n * k + 4 * n;
  return {.bytes = read + written,
          .written_bytes = written,
          .flops = 2 * rows * k * n * ((y ? 1 : 0) + (dx ? 1 : 0) + (dw ? 1 : 0)),
          .flop_pipe = "tensor_bf16"};
}

/// Some elements of each input.
std::vector<std::uint16_t> some_inputs(const checked_problem& p) {
  std::vector<std::uint16_t> bits;
  for (std::int64_t at = 0; at < 64; ++at) {
    bits.push_back(generated_weight(p, at));
    bits.push_back(generated_bias(p, at % p.outputs));
    for (const tensor of : {tensor::input, tensor::branch, tensor::gradient})
      bits.push_back(dense_layers::generated_bf16(p.seed, of, at, 1));
  }
  return bits;
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<dense_layers::known_elements<sampled_element>>();
  known->tensors = dense_layers::y_and_gradients<output>(p, names);
  if (p.behind == epilogue::gelu_tanh)
    known->tensors[static_cast<std::size_t>(output::y)].systematic += dense_layers::left_by_tanh;
  known->samples = choose_samples(p, inputs.seed());
  for (const sampled_element& at : known->samples) known->exact.push_back(reference_element(p, at));

  workload w = dense_layers::checked_workload<sampled_element>(known, p, buffers);
  w.work = work(p);
  const std::vector<std::uint16_t> hashed = some_inputs(p);
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size() * sizeof(std::uint16_t))},
             {"rows", p.rows},
             {"inputs", p.inputs},
             {"outputs", p.outputs}};
  return w;
}

}  // namespace ablate::linear
