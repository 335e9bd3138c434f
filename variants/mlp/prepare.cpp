#include "variants/mlp/prepare.h"

#include <memory>
#include <vector>

#include "harness/inputs/random.h"
#include "variants/dense_layers.h"
#include "variants/mlp/buffers.h"

namespace ablate::mlp {
namespace {

using dense_layers::checked_tensor;
using dense_layers::made_bf16;
using dense_layers::tensor;

struct known_elements {
  std::vector<checked_tensor> tensors;
  std::vector<sampled_element> samples;
  std::vector<judged> exact;
};

/// The corners, and elements anywhere.
std::vector<sampled_element> choose_samples(const problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled elements");
  std::vector<sampled_element> elements = {{0, 0, 0}, {0, p.channels - 1, p.rows - 1}};
  while (static_cast<std::int64_t>(elements.size()) < p.sample_count)
    elements.push_back({0, static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(p.channels))),
                        random.below(static_cast<std::uint32_t>(p.rows))});
  return elements;
}

dense_layers::seen_outputs read(std::span<const std::byte* const> outputs) {
  return {reinterpret_cast<const comparison*>(outputs[place::found]),
          reinterpret_cast<const float*>(outputs[place::sampled_out])};
}

// Compulsory: X, which is the residual too, and the weights read once, Y written once.
work_model work(const problem& p) {
  const auto rows = static_cast<double>(p.rows), c = static_cast<double>(p.channels),
             h = static_cast<double>(p.hidden_columns()), z = static_cast<double>(p.first_columns());
  const double written = 2 * rows * c;
  return {.bytes = written + 2 * rows * c + 2 * c * (z + h) + 4 * (z + 3 * c),
          .written_bytes = written,
          .flops = 2 * rows * c * (z + h),
          .flop_pipe = "tensor_bf16"};
}

/// Some elements of each input.
std::vector<std::uint16_t> some_inputs(const problem& p) {
  std::vector<std::uint16_t> bits;
  for (std::int64_t at = 0; at < 64; ++at) {
    bits.push_back(made_bf16(p.seed, tensor::input, at, 1));
    bits.push_back(made_bf16(p.seed, tensor::weight, at, p.first_spread));
    bits.push_back(made_bf16(p.seed, tensor::second_weight, at, p.second_spread));
  }
  return bits;
}

}  // namespace

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_elements>();
  known->tensors = {{"y", p.rows, p.channels, dense_layers::accepted_of_outputs}};
  known->samples = choose_samples(p, inputs.seed());
  for (const sampled_element& at : known->samples) known->exact.push_back(reference_element(p, at));

  workload w;
  w.contents.resize(places);
  w.contents[place::samples] = std::as_bytes(std::span(known->samples));
  w.check = [known](std::span<const std::byte* const> outputs) {
    return dense_layers::judge<sampled_element>(known->tensors, known->samples, known->exact, read(outputs));
  };
  w.quality = [known](std::span<const std::byte* const> outputs) {
    return dense_layers::errors_of(known->tensors, read(outputs));
  };
  // On the host only the sampled elements are computed; whoever looks at the whole takes a GPU.
  w.reference = [known](std::span<void* const> host) {
    dense_layers::fill_as_right(known->tensors, known->exact, static_cast<comparison*>(host[place::found]),
                                static_cast<float*>(host[place::sampled_out]));
  };
  w.work = work(p);
  const std::vector<std::uint16_t> hashed = some_inputs(p);
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size() * sizeof(std::uint16_t))},
             {"rows", p.rows},
             {"channels", p.channels},
             {"hidden", p.hidden_columns()}};
  w.storage = known;
  return w;
}

}  // namespace ablate::mlp
