#include "variants/block_pooling/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/inputs/random.h"
#include "variants/block_pooling/buffers.h"
#include "variants/row_errors.h"

namespace ablate::block_pooling {
namespace {

constexpr std::array names = {"pooled q",    "pooled k",    "pooled v",
                              "q of tokens", "k of tokens", "v of tokens"};

struct known_rows {
  std::vector<float> norm, rotations;
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;
};

int outputs_of(const problem& p) { return p.writes_tokens ? 2 * tensors : tensors; }
std::int64_t rows_of(const problem& p, int of) { return of < tensors ? p.blocks() : p.tokens; }

std::vector<float> norm_weights(const problem& p) {
  std::vector<float> weights;
  for (int which = 0; which < 2; ++which)
    for (int part = 0; part < 2; ++part)
      for (int element = 0; element < width; ++element) weights.push_back(made_norm(p, which, part, element));
  return weights;
}

std::vector<float> turns() {
  std::vector<float> all;
  for (int position = 0; position < positions; ++position)
    for (int i = 0; i < angles; ++i) {
      const double angle = position * std::pow(100, -static_cast<double>(i) / angles);
      all.push_back(static_cast<float>(std::cos(angle)));
      all.push_back(static_cast<float>(std::sin(angle)));
    }
  return all;
}

/// Rows of all outputs in turn: the first and the last of a head, those with a NaN, others anywhere.
std::vector<sampled_row> choose_samples(const problem& p, std::uint64_t seed) {
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
std::vector<std::uint16_t> some_inputs(const problem& p) {
  std::vector<std::uint16_t> bits;
  for (int which = 0; which < tensors; ++which)
    for (std::int64_t head = 0; head < p.heads; ++head) {
      const auto of = static_cast<tensor>(which);
      for (const std::int64_t token : {std::int64_t{0}, std::int64_t{patch_block}, nan_token(p, of, head)})
        for (int element = 0; element < width; ++element)
          bits.push_back(made_bits(p, of, head, token, element));
    }
  return bits;
}

/// The greatest error of a row's elements, in what is accepted; infinite where one is of another kind.
double error_of(const exact_row& exact, const float* seen) {
  double greatest = 0;
  for (std::size_t d = 0; d < width; ++d) {
    if (!window_attention::are_alike(seen[d], exact.out[d])) return std::numeric_limits<double>::infinity();
    if (!std::isfinite(exact.out[d]) || seen[d] == exact.out[d]) continue;
    greatest = std::max(greatest, std::abs(seen[d] - exact.out[d]) /
                                      static_cast<double>(tolerance_of(static_cast<float>(exact.out[d]),
                                                                       static_cast<float>(exact.floor))));
  }
  return greatest;
}

struct read_outputs {
  const deviation* found;
  const float* sampled_out;

  explicit read_outputs(std::span<const std::byte* const> outputs)
      : found(reinterpret_cast<const deviation*>(outputs[place::found])),
        sampled_out(reinterpret_cast<const float*>(outputs[place::sampled_out])) {}

  double sampled_error(const known_rows& known, std::size_t i) const {
    return error_of(known.exact[i], sampled_out + i * width);
  }
};

/// What is wrong with one of the outputs, if anything.
std::optional<std::string> fault_of(const char* name, const deviation& found, std::int64_t rows) {
  if (found.rows != static_cast<unsigned long long>(rows))
    return fmt::format("{}: {} of {} rows were compared", name, found.rows, rows);
  const deviation::place& worst = found.worst;
  if (worst.error <= 1) return std::nullopt;
  return fmt::format(
      "{}: {} of {} rows are off by more than is accepted, {} of them where one of both is no number or a "
      "copy "
      "differs: row {}, head {}: element {} is {:.8g}, expected {:.8g}",
      name, found.rows_over, rows, found.rows_not_finite, worst.row, worst.head, worst.element, worst.seen,
      worst.expected);
}

check_result check(const problem& p, const known_rows& known, const read_outputs& seen) {
  double worst = 0;
  for (int of = 0; of < outputs_of(p); ++of) {
    const deviation& found = seen.found[of];
    if (const auto fault = fault_of(names[static_cast<std::size_t>(of)], found, p.heads * rows_of(p, of)))
      return {false, *fault, found.worst.error, 1};
    worst = std::max<double>(worst, found.worst.error);
  }
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const double error = seen.sampled_error(known, i); !(error <= 1)) {
      const sampled_row& at = known.samples[i];
      return {false,
              fmt::format("{}: row {}, head {}: off by {:.3g} of what is accepted, against fp64",
                          names[static_cast<std::size_t>(at.of)], at.row, at.head, error),
              error, 1};
    }
  return {true, "", worst, 1};
}

/// Errors in units of what is accepted.
nlohmann::ordered_json quality(const problem& p, const known_rows& known, const read_outputs& seen) {
  nlohmann::ordered_json figures;
  for (int first = 0; first < outputs_of(p); first += tensors) {
    double worst = 0;
    for (int of = first; of < first + tensors; ++of)
      worst = std::max<double>(worst, seen.found[of].worst.error);
    figures[first == 0 ? "pooled_error_worst" : "tokens_error_worst"] = worst;
  }
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, seen.sampled_error(known, i));
  figures["error_sampled"] = sampled;
  return figures;
}

// Compulsory: q, k and v read once, pooled rows written, and those of all tokens where they are outputs. An
// addition an element.
work_model work(const problem& p) {
  const double elements = tensors * static_cast<double>(p.elements());
  const double written = 2 * elements / p.block + (p.writes_tokens ? 2 * elements : 0);
  return {
      .bytes = 2 * elements + written, .written_bytes = written, .flops = elements, .flop_pipe = "fma_f32"};
}

}  // namespace

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  auto known = std::make_shared<known_rows>();
  if (p.normalizes()) {
    known->norm = norm_weights(p);
    known->rotations = turns();
  }
  known->samples = choose_samples(p, inputs.seed());
  for (const sampled_row& at : known->samples) known->exact.push_back(reference_row(p, at));

  workload w;
  w.contents.resize(places);
  w.contents[norm] = std::as_bytes(std::span(known->norm));
  w.contents[rotations] = std::as_bytes(std::span(known->rotations));
  w.contents[samples] = std::as_bytes(std::span(known->samples));
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(p, *known, read_outputs(outputs));
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(p, *known, read_outputs(outputs));
  };
  // On the host only the sampled rows are computed; whoever looks at the whole takes a GPU.
  w.reference = [p, known](std::span<void* const> host) {
    for (int of = 0; of < 2 * tensors; ++of)
      static_cast<deviation*>(host[place::found])[of] =
          window_attention::no_deviation(of < outputs_of(p) ? p.heads * rows_of(p, of) : 0);
    for (std::size_t i = 0; i < known->exact.size(); ++i)
      std::ranges::transform(known->exact[i].out, static_cast<float*>(host[place::sampled_out]) + i * width,
                             [](double x) { return static_cast<float>(x); });
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
