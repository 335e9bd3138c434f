#include "variants/row_norm/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "harness/inputs/random.h"
#include "variants/checked_tensors.h"
#include "variants/row_norm/buffers.h"

namespace ablate::row_norm {
namespace {

using dense_layers::checked_tensor;
using dense_layers::judged;
using dense_layers::tensor;

constexpr std::array names = {
    "out", "sum", "statistics", "gradient of x", "gradient of the branch", "gradients of the parameters"};

std::vector<checked_tensor> checked(const checked_problem& p) {
  std::vector<checked_tensor> tensors;
  for (int of = 0; of < outputs; ++of) {
    const auto which = static_cast<output>(of);
    const bool is_gradient = which >= output::input_gradient;
    tensors.push_back(
        {names[static_cast<std::size_t>(of)], p.has(which) ? p.rows_of(which) : 0, p.channels,
         is_gradient ? dense_layers::accepted_of_gradients : dense_layers::accepted_of_outputs});
  }
  return tensors;
}

/// Elements of all outputs in turn: of the first row, the last real one and the first of padding, of others
/// anywhere. What sums over all rows is looked at in few channels, since each takes the host that long.
std::vector<sampled_element> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled elements");
  const auto below = [&](std::int64_t bound) { return random.below(static_cast<std::uint32_t>(bound)); };
  const std::array<std::uint32_t, 2> channels = {below(p.channels),
                                                 static_cast<std::uint32_t>(p.channels - 1)};
  std::vector<sampled_element> elements;
  for (std::uint32_t turn = 0; static_cast<std::int64_t>(elements.size()) < p.sample_count; ++turn)
    for (std::int32_t of = 0; of < outputs; ++of) {
      const auto which = static_cast<output>(of);
      if (!p.has(which)) continue;
      const bool sums_rows = p.kind == kind::batch_training || which == output::parameter_gradients;
      const std::uint32_t column = sums_rows ? channels[turn % 2] : below(p.channels);
      const std::int64_t rows = p.rows_of(which);
      const std::int64_t row = rows < p.rows   ? turn / 2 % rows
                               : turn / 2 == 0 ? 0
                               : turn / 2 == 1 ? p.valid - 1
                               : turn / 2 == 2 ? std::min(p.valid, p.rows - 1)
                                               : below(p.rows);
      elements.push_back({of, static_cast<std::int32_t>(column), row});
    }
  elements.resize(static_cast<std::size_t>(p.sample_count));
  // A channel's sums are kept until the next channel is asked for.
  std::ranges::stable_sort(elements, {}, [](const sampled_element& e) { return e.column; });
  return elements;
}

// Compulsory: every input of the real rows read once, every output written once. A batch norm's second pass
// over x is the algorithm's, not the operation's. Five operations an element, as an FMA pipe counts them.
work_model work(const checked_problem& p) {
  const double rows = 2 * static_cast<double>(p.elements()),
               real = 2 * static_cast<double>(p.valid * p.channels);
  const double adds = p.kind == kind::residual_layer ? 1 : 0, gradients = p.is_backward ? 1 : 0;
  const double read = real * (1 + gradients + adds);
  const double written = rows * (1 + (p.is_backward ? (p.drop > 0 ? adds : 0) : adds));
  return {.bytes = read + written,
          .written_bytes = written,
          .flops = p.kind == kind::copy ? 0 : 5 * static_cast<double>(p.valid * p.channels) * (1 + gradients),
          .flop_pipe = "fma_f32"};
}

/// Some elements of each input.
std::vector<float> some_inputs(const checked_problem& p) {
  std::vector<float> values = {static_cast<float>(p.valid), p.drop};
  for (std::int64_t at = 0; at < std::min<std::int64_t>(p.valid * p.channels, 64); ++at)
    for (const tensor of : {tensor::input, tensor::branch, tensor::gradient, tensor::sum_gradient})
      values.push_back(dense_layers::float_of_bf16(generated_element(p, of, at)));
  for (const tensor of : {tensor::gamma, tensor::beta, tensor::mean, tensor::variance})
    for (int channel = 0; channel < p.channels; ++channel)
      values.push_back(generated_parameter(p, of, channel));
  return values;
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<dense_layers::known_elements<sampled_element>>();
  known->tensors = checked(p);
  known->samples = choose_samples(p, inputs.seed());
  oracle exact(p);
  for (const sampled_element& at : known->samples) known->exact.push_back(exact.at(at));

  workload w = dense_layers::checked_workload<sampled_element>(known, p, buffers);
  w.work = work(p);
  const std::vector<float> hashed = some_inputs(p);
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size() * sizeof(float))},
             {"rows", p.rows},
             {"real_rows", p.valid}};
  return w;
}

}  // namespace ablate::row_norm
