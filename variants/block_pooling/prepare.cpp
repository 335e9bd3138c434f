#include "variants/block_pooling/prepare.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/inputs/random.h"
#include "variants/block_pooling/buffers.h"
#include "variants/block_pooling/row_check.h"

namespace ablate::block_pooling {
namespace {

constexpr std::array names = {"pooled q",    "pooled k",    "pooled v",
                              "q of tokens", "k of tokens", "v of tokens"};

int outputs_of(const checked_problem& p) { return p.writes_tokens ? 2 * tensors : tensors; }
std::int64_t rows_of(const checked_problem& p, int of) { return of < tensors ? p.blocks() : p.tokens; }

std::vector<compared_output> outputs(const checked_problem& p) {
  std::vector<compared_output> all;
  for (int of = 0; of < outputs_of(p); ++of)
    all.push_back({names[static_cast<std::size_t>(of)], p.heads * rows_of(p, of)});
  return all;
}

read_rows read(const checked_problem& p, std::span<const std::byte* const> outputs) {
  const checked_problem seen = attached(p, buffers, outputs);
  return {seen.found, seen.sampled_out};
}

/// Rows of all outputs in turn: the first and the last of a head, those with a NaN, others anywhere.
std::vector<sampled_row> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  std::vector<sampled_row> rows;
  for (int turn = 0; static_cast<std::int64_t>(rows.size()) < p.sample_count; ++turn)
    for (int of = 0; of < outputs_of(p); ++of) {
      const std::int32_t head = below(p.heads), any = below(rows_of(p, of));
      const auto last = static_cast<std::int32_t>(rows_of(p, of) - 1);
      const std::int64_t token = nan_token(p, static_cast<tensor>(of % tensors), head);
      const bool is_pooled = of < tensors && token < p.layout().patches();
      const auto with_nan = static_cast<std::int32_t>(is_pooled       ? p.layout().block_of(token)
                                                      : of >= tensors ? token
                                                                      : 0);
      rows.push_back({of, head, turn == 0 ? 0 : turn == 1 ? last : turn == 2 ? with_nan : any});
    }
  rows.resize(static_cast<std::size_t>(p.sample_count));
  return rows;
}

/// Rows of each head that no two kinds of inputs have in common.
std::vector<std::uint16_t> some_inputs(const checked_problem& p) {
  std::vector<std::uint16_t> bits;
  for (int which = 0; which < tensors; ++which)
    for (std::int64_t head = 0; head < p.heads; ++head) {
      const auto of = static_cast<tensor>(which);
      for (const std::int64_t token : {std::int64_t{0}, std::int64_t{patch_block}, nan_token(p, of, head)})
        for (int element = 0; element < width; ++element)
          bits.push_back(generated_bits(p, of, head, token, element));
    }
  return bits;
}

/// Errors in units of what is accepted.
nlohmann::ordered_json quality(const checked_problem& p, const known_rows& known, const read_rows& seen) {
  nlohmann::ordered_json figures;
  for (int first = 0; first < outputs_of(p); first += tensors) {
    double worst = 0;
    worst_bias in_mean;
    for (int of = first; of < first + tensors; ++of) {
      worst = std::max<double>(worst, seen.found[of].worst.error);
      in_mean.add(bias_of(seen.found[of]));
    }
    const std::string rows = first == 0 ? "pooled" : "tokens";
    figures[rows + "_error_worst"] = worst;
    in_mean.add_to(figures, rows);
  }
  figures["error_sampled"] = worst_sampled(known, seen);
  return figures;
}

// Compulsory: q, k and v read once, pooled rows written, and those of all tokens where they are outputs. An
// addition an element.
work_model work(const checked_problem& p) {
  const double elements = tensors * static_cast<double>(p.elements());
  const double written = 2 * elements / p.block + (p.writes_tokens ? 2 * elements : 0);
  return {
      .bytes = 2 * elements + written, .written_bytes = written, .flops = elements, .flop_pipe = "fma_f32"};
}

}  // namespace

workload prepare(const checked_problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_rows>();
  if (p.normalizes()) {
    known->norm = norm_weights(p);
    known->rotations = turns();
  }
  known->samples = choose_samples(p, inputs.seed());
  for (const sampled_row& at : known->samples) known->exact.push_back(reference_row(p, at));

  workload w;
  w.contents = contents_of(p, buffers,
                           {{"norm", std::as_bytes(std::span(known->norm))},
                            {"rotations", std::as_bytes(std::span(known->rotations))},
                            {"samples", std::as_bytes(std::span(known->samples))}});
  w.check = [p, known](std::span<const std::byte* const> seen) {
    return check_rows(outputs(p), *known, read(p, seen));
  };
  w.quality = [p, known](std::span<const std::byte* const> seen) {
    return quality(p, *known, read(p, seen));
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    const checked_problem host = attached(p, buffers, addresses);
    solve_rows(outputs(p), 2 * tensors, *known, host.found, host.sampled_out);
  };
  w.work = work(p);
  const std::vector<std::uint16_t> hashed = some_inputs(p);
  w.input = {{"hash", hash_hex(hashed.data(), hashed.size() * sizeof(std::uint16_t))},
             {"tokens", p.tokens},
             {"blocks", p.blocks()}};
  w.storage = known;
  return w;
}

}  // namespace ablate::block_pooling
