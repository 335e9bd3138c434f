#include "variants/block_pooling_backward/prepare.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/inputs/random.h"
#include "oracles/block_pooling_backward/reference.h"
#include "variants/block_pooling/row_check.h"
#include "variants/block_pooling_backward/buffers.h"

namespace ablate::block_pooling_backward {
namespace {

using block_pooling::compared_output;
using block_pooling::known_rows;
using block_pooling::read_rows;

std::array<compared_output, tensors> gradients_of(const checked_problem& p) {
  const std::int64_t rows = p.pooling.heads * p.pooling.tokens;
  return {{{"dq", rows}, {"dk", rows}, {"dv", rows}}};
}

read_rows read_gradients(const checked_problem& p, std::span<const std::byte* const> outputs) {
  const checked_problem seen = attached(p, buffers, outputs);
  return {seen.found, seen.sampled_out};
}

/// Rows of dq, dk and dv in turn: the first and the last of a head, the last in a block, that with a NaN and
/// its neighbor, others anywhere.
std::vector<sampled_row> choose_gradients(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled gradients of pooling");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  const block_pooling::checked_problem pooling = p.checked_pooling();
  const std::int64_t tokens = pooling.tokens;
  std::vector<sampled_row> rows;
  for (int turn = 0; static_cast<std::int64_t>(rows.size()) < p.sample_count; ++turn)
    for (std::int32_t of = 0; of < tensors; ++of) {
      const std::int32_t head = below(p.pooling.heads), any = below(tokens);
      const auto with_nan = static_cast<std::int32_t>(
          block_pooling::nan_token(pooling, static_cast<block_pooling::tensor>(of), head));
      const auto last = static_cast<std::int32_t>(tokens - 1);
      const std::array<std::int32_t, 5> places = {0, last,
                                                  static_cast<std::int32_t>(p.pooling.layout().patches() - 1),
                                                  with_nan, std::min(with_nan ^ 1, last)};
      rows.push_back({of, head, turn < 5 ? places[static_cast<std::size_t>(turn)] : any});
    }
  rows.resize(static_cast<std::size_t>(p.sample_count));
  return rows;
}

/// Rows of each tensor that no two kinds of inputs have in common.
std::vector<std::uint16_t> some_of_all_inputs(const checked_problem& p) {
  const block_pooling::checked_problem pooling = p.checked_pooling();
  std::vector<std::uint16_t> bits;
  for (int which = 0; which < tensors; ++which)
    for (std::int64_t head = 0; head < p.pooling.heads; ++head) {
      const auto of = static_cast<block_pooling::tensor>(which);
      const std::int64_t with_nan = block_pooling::nan_token(pooling, of, head);
      for (int element = 0; element < width; ++element) {
        bits.push_back(generated_gradient(p, false, which, head, 0, element));
        if (p.given != given::pooled) bits.push_back(generated_gradient(p, true, which, head, 0, element));
        if (!p.normalizes()) continue;
        for (const std::int64_t token : {std::int64_t{0}, std::int64_t{block_pooling::patch_block}, with_nan})
          bits.push_back(generated_bits(pooling, of, head, token, element));
      }
    }
  return bits;
}

// Compulsory: gradients of pooled rows and, where given, of tokens, and q and k where they are normalized,
// read once; gradients of all tokens written. An addition an element.
work_model work(const checked_problem& p) {
  const double elements = tensors * static_cast<double>(p.pooling.elements());
  const double normalized = p.normalizes() ? elements * 2 / tensors : 0;
  const double read = elements / p.pooling.block + normalized + (p.given == given::pooled ? 0 : elements);
  return {.bytes = 2 * (read + elements),
          .written_bytes = 2 * elements,
          .flops = elements,
          .flop_pipe = "fma_f32"};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_rows>();
  if (p.normalizes()) {
    known->norm = norm_weights(p.checked_pooling());
    known->rotations = block_pooling::turns();
  }
  known->samples = choose_gradients(p, inputs.seed());
  for (const sampled_row& at : known->samples) known->exact.push_back(reference_row(p, at));

  workload w;
  w.contents = contents_of(p, buffers,
                           {{"norm", std::as_bytes(std::span(known->norm))},
                            {"rotations", std::as_bytes(std::span(known->rotations))},
                            {"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> seen) {
    return check_rows(gradients_of(p), *known, read_gradients(p, seen));
  };
  w.quality = [p, known](std::span<const std::byte* const> seen) {
    const read_rows read = read_gradients(p, seen);
    float worst = 0;
    worst_bias in_mean;
    for (int of = 0; of < tensors; ++of) {
      worst = std::max(worst, read.found[of].worst.error);
      in_mean.add(block_pooling::bias_of(read.found[of]));
    }
    nlohmann::ordered_json figures;
    figures["error_worst"] = worst;
    figures["error_sampled"] = worst_sampled(*known, read);
    in_mean.add_to(figures);
    return figures;
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    const checked_problem host = attached(p, buffers, addresses);
    solve_rows(gradients_of(p), tensors, *known, host.found, host.sampled_out);
  };
  w.work = work(p);
  const std::vector<std::uint16_t> hashed = some_of_all_inputs(p);
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size() * sizeof(std::uint16_t))},
             {"tokens", p.pooling.tokens},
             {"blocks", p.pooling.blocks()}};
  w.storage = known;
  return w;
}

}  // namespace ablate::block_pooling_backward
