#include "variants/sparse_conv/prepare.h"
#include "variants/bias_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/inputs/random.h"
#include "harness/inputs/random_floats.h"
#include "kernels/common/bf16.h"
#include "oracles/common/greatest_error.h"
#include "variants/sparse_conv/buffers.h"

namespace ablate::sparse_conv {
namespace {

constexpr std::array<const char*, results> names = {"y", "x_gradient", "weight_gradient", "bias_gradient"};
constexpr std::int64_t samples_of_result = 10;

/// The layer's inputs, its map, and what the check knows of the results.
struct known_layer {
  std::shared_ptr<const level_map> map;
  cut_lists tiles, splits;
  layer_inputs made;
  std::vector<std::uint16_t> weights_by_offset;
  std::vector<sampled_row> samples;
  std::vector<exact_row> exact;

  checked_problem with_inputs(checked_problem p) const {
    p.ends = map->ends.data();
    p.in_rows = map->in_rows.data();
    p.out_rows = map->out_rows.data();
    p.x = made.x.data();
    p.weights = made.weights.data();
    p.bias = made.bias.data();
    p.out_gradient = made.out_gradient.data();
    return p;
  }
};

std::vector<std::uint16_t> in_bf16(const std::vector<float>& values, float factor) {
  std::vector<std::uint16_t> bits;
  bits.reserve(values.size());
  for (const float value : values) bits.push_back(bf16_of_float(value * factor));
  return bits;
}

bool samples_all(const checked_problem& p) {
  constexpr double max_products = 2e7;  // a host's second or less
  return static_cast<double>(p.pairs) * p.in_channels * p.out_channels <= max_products;
}

std::int64_t samples_of(const checked_problem& p, int of) {
  if (!p.computes(of)) return 0;
  return samples_all(p) ? p.rows_of(of) : std::min(samples_of_result, p.rows_of(of));
}

/// All rows; or the first, the last, and others anywhere.
std::vector<sampled_row> choose_samples(const checked_problem& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  std::vector<sampled_row> rows;
  for (std::int32_t of = 0; of < results; ++of) {
    const std::int64_t count = samples_of(p, of), all = p.rows_of(of);
    for (std::int64_t i = 0; i < count; ++i)
      rows.push_back(
          {of, static_cast<std::int32_t>(count == all || i == 0 ? i
                                         : i == 1               ? all - 1
                                                  : random.below(static_cast<std::uint32_t>(all)))});
  }
  return rows;
}

/// The greatest error of a sampled row, in what is accepted.
double sampled_error(const checked_problem& seen, const known_layer& known, std::size_t i) {
  const exact_row& exact = known.exact[i];
  const float* const row = seen.sampled_out + i * static_cast<std::size_t>(seen.row_length());
  greatest_error greatest;
  for (std::size_t k = 0; k < exact.out.size(); ++k) {
    const double off = std::abs(static_cast<double>(row[k]) - exact.out[k]);
    greatest.add(off == 0 ? 0 : off / exact.tolerance[k]);
  }
  return greatest.value();
}

/// Where an element of a result is.
std::string place_of(const checked_problem& p, int of, std::int64_t row) {
  if (of == bias_gradient_row) return "";
  if (of != weight_gradient_rows) return fmt::format(", row {}", row);
  return fmt::format(", out channel {}, offset {}", row / p.offsets(), row % p.offsets());
}

double error_of(const deviation& found) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(found.greatest >> 32)));
}

/// A weight's gradient adds up a list's pairs on tensor cores, which truncate by 2^-24 in the mean at every
/// 16th.
tensor_bias bias_of(const checked_problem& p, int of, const deviation& found) {
  const auto summed = is_bf16(of) ? 0.0 : static_cast<double>(p.rows);
  return {found.signs, accepted_bias_of_bf16 + 0x1p-28 * summed};
}

/// What is wrong with a result, if anything.
std::optional<std::string> fault_of(const checked_problem& p, int of, const deviation& found) {
  const char* const name = names[static_cast<std::size_t>(of)];
  const std::int64_t elements = p.elements_of(of);
  if (found.elements != static_cast<unsigned long long>(elements))
    return fmt::format("{}: {} of {} elements were compared", name, found.elements, elements);
  const double error = error_of(found);
  if (error <= 1) return std::nullopt;
  const std::int64_t worst = ~static_cast<std::uint32_t>(found.greatest);
  return fmt::format(
      "{}{}, channel {}: {:.8g}, expected {:.8g}: {:.3g} times what is accepted, as are {} of {} elements",
      name, place_of(p, of, worst / p.length_of(of)), worst % p.length_of(of), found.seen, found.expected,
      error, found.over, elements);
}

check_result check(const checked_problem& seen, const known_layer& known) {
  double worst = 0;
  for (int of = 0; of < results; ++of) {
    const double error = seen.computes(of) ? error_of(seen.found[of]) : 0;
    if (const auto fault = fault_of(seen, of, seen.found[of])) return {false, *fault, error, 1};
    if (const auto fault =
            bias_result(names[static_cast<std::size_t>(of)], bias_of(seen, of, seen.found[of])))
      return *fault;
    worst = std::max(worst, error);
  }
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    if (const double error = sampled_error(seen, known, i); !(error <= 1)) {
      const sampled_row& at = known.samples[i];
      return {false,
              fmt::format("{}{}: off by {:.3g} of what is accepted, against fp64",
                          names[static_cast<std::size_t>(at.of)], place_of(seen, at.of, at.row), error),
              error, 1};
    }
  return {true, "", worst, 1};
}

/// Errors in units of what is accepted.
nlohmann::ordered_json quality(const checked_problem& seen, const known_layer& known) {
  nlohmann::ordered_json figures;
  for (int of = 0; of < results; ++of) {
    if (!seen.computes(of)) continue;
    const std::string name = names[static_cast<std::size_t>(of)];
    figures[name + "_error_typical"] =
        std::sqrt(seen.found[of].squared_errors / static_cast<double>(seen.elements_of(of)));
    figures[name + "_error_worst"] = error_of(seen.found[of]);
    add_bias(figures, name, bias_of(seen, of, seen.found[of]));
  }
  double sampled = 0;
  for (std::size_t i = 0; i < known.samples.size(); ++i)
    sampled = std::max(sampled, sampled_error(seen, known, i));
  figures["error_sampled"] = sampled;
  return figures;
}

// Compulsory: activations, weights and the pairs' rows read once, results written; two operations a pair and
// weight for each result but the bias' gradient.
work_model work(const checked_problem& p) {
  const double rows = static_cast<double>(p.rows), pairs = static_cast<double>(p.pairs);
  const double x = 2 * rows * p.in_channels, y = 2 * rows * p.out_channels;
  const double weights = static_cast<double>(p.weight_count());
  const double read = (p.forward || p.weight_gradient ? x : 0) +
                      (p.input_gradient || p.weight_gradient ? y : 0) +
                      (p.forward || p.input_gradient ? 2 * weights : 0) + 8 * pairs;
  const double written =
      (p.forward ? y : 0) + (p.input_gradient ? x : 0) + (p.weight_gradient ? 4 * weights : 0);
  // A model: each pair's rows are read for itself.
  const int gathered_channels = (p.forward ? p.in_channels : 0) + (p.input_gradient ? p.out_channels : 0) +
                                (p.weight_gradient ? p.in_channels + p.out_channels : 0);
  const int products = int{p.forward} + int{p.input_gradient} + int{p.weight_gradient};
  return {.bytes = read + written,
          .written_bytes = written,
          .flops = 2 * pairs * p.in_channels * p.out_channels * products,
          .flop_pipe = p.in_channels < 16 ? "fma_f32" : "tensor_bf16",
          .gathered_bytes = 2 * pairs * gathered_channels};
}

template <class T>
std::string hash_of(const std::vector<T>& values) {
  return hash_hex(values.data(), values.size() * sizeof(T));
}

/// Executed over needed products: of tiles of rows, as they are and by masks, and of tiles of pairs.
nlohmann::ordered_json facts_of(const checked_problem& p, const known_layer& known) {
  const level_map& map = *known.map;
  const auto share = [&](std::int64_t tile_products) {
    return static_cast<double>(tile_products * list_tile) / static_cast<double>(p.pairs);
  };
  const std::string all = hash_of(map.coordinates) + hash_of(known.made.x) + hash_of(known.made.weights) +
                          hash_of(known.made.bias) + hash_of(known.made.out_gradient);
  return {{"hash", hash_hex(all.data(), all.size())},
          {"map_hash", hash_of(map.coordinates)},
          {"points", p.rows},
          {"offsets", p.offsets()},
          {"pairs", p.pairs},
          {"pairs_per_row", static_cast<double>(p.pairs) / static_cast<double>(p.rows)},
          {"executed_share_of_tiles", share(offsets_of_tiles(map.masks, p.rows, {}))},
          {"executed_share_of_tiles_by_mask", share(offsets_of_tiles(map.masks, p.rows, map.order))},
          {"executed_share_of_lists", share(p.tile_count)}};
}

/// On the host only the sampled rows are computed; a full comparison needs a GPU.
void solve(const checked_problem& host, const known_layer& known) {
  for (int of = 0; of < results; ++of) {
    deviation none{};
    none.elements = static_cast<unsigned long long>(host.elements_of(of));
    host.found[of] = none;
  }
  float* to = host.sampled_out;
  for (const exact_row& row : known.exact) {
    std::ranges::fill_n(to, host.row_length(), 0.0f);
    std::ranges::transform(row.out, to, [](double value) { return static_cast<float>(value); });
    to += host.row_length();
  }
}

}  // namespace

layer_inputs generated_inputs(const checked_problem& p, std::uint64_t seed) {
  const float spread = 1 / std::sqrt(static_cast<float>(p.offsets() * p.in_channels));
  layer_inputs made;
  made.x = in_bf16(random_floats(p.rows * p.in_channels, seed, "x"), 1);
  made.out_gradient = in_bf16(random_floats(p.rows * p.out_channels, seed, "out_gradient"), 1);
  made.weights = in_bf16(random_floats(p.weight_count(), seed, "weights"), spread);
  made.bias = random_floats(p.has_bias ? p.out_channels : 0, seed, "bias");
  for (float& b : made.bias) b *= spread;
  return made;
}

std::vector<std::uint16_t> by_offset(const checked_problem& p, const std::vector<std::uint16_t>& weights) {
  std::vector<std::uint16_t> moved;
  moved.reserve(weights.size());
  for (std::int64_t q = 0; q < p.offsets(); ++q)
    for (std::int64_t out = 0; out < p.out_channels; ++out) {
      const auto first = weights.begin() + (out * p.offsets() + q) * p.in_channels;
      moved.insert(moved.end(), first, first + p.in_channels);
    }
  return moved;
}

map_request map_request_at(const axis_values& at) {
  return {.distribution = at.word("distribution"),
          .order = at.word("order"),
          .points = at.integer("points"),
          .level = static_cast<int>(at.integer("level")),
          .kernel = at.word("layer") == "stem" ? 5 : 3};
}

std::int64_t sample_count(const checked_problem& p) {
  std::int64_t count = 0;
  for (int of = 0; of < results; ++of) count += samples_of(p, of);
  return count;
}

workload prepare(const checked_problem& p, const axis_values& at, const input_library& inputs) {
  auto known = std::make_shared<known_layer>();
  known->map = map_at(map_request_at(at), inputs);
  known->tiles = cut(known->map->ends, list_tile);
  known->splits = cut(known->map->ends, pairs_of_split(p.in_channels));
  known->made = generated_inputs(p, inputs.seed());
  known->weights_by_offset = by_offset(p, known->made.weights);
  known->samples = choose_samples(p, inputs.seed());
  const checked_problem solved = known->with_inputs(p);
  for (const sampled_row& row : known->samples) known->exact.push_back(reference_row(solved, row));

  workload w;
  checked_problem sized = p;
  const bound_buffers all = buffers(sized);
  w.contents = contents_of(all, {{"table", std::as_bytes(std::span(known->map->table))},
                                 {"masks", std::as_bytes(std::span(known->map->masks))},
                                 {"order", std::as_bytes(std::span(known->map->order))},
                                 {"ends", std::as_bytes(std::span(known->map->ends))},
                                 {"in_rows", std::as_bytes(std::span(known->map->in_rows))},
                                 {"out_rows", std::as_bytes(std::span(known->map->out_rows))},
                                 {"tiles", std::as_bytes(std::span(known->tiles.pieces))},
                                 {"splits", std::as_bytes(std::span(known->splits.pieces))},
                                 {"part_ends", std::as_bytes(std::span(known->splits.part_ends))},
                                 {"x", std::as_bytes(std::span(known->made.x))},
                                 {"weights", std::as_bytes(std::span(known->made.weights))},
                                 {"bias", std::as_bytes(std::span(known->made.bias))},
                                 {"out_gradient", std::as_bytes(std::span(known->made.out_gradient))},
                                 {"weights_by_offset", std::as_bytes(std::span(known->weights_by_offset))},
                                 {"samples", std::as_bytes(std::span(known->samples))}});
  // What is not computed takes no inputs.
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].what.bytes == 0) w.contents[i] = {};
  w.check = [p, known](std::span<const std::byte* const> outputs) {
    return check(attached(p, buffers, outputs), *known);
  };
  w.quality = [p, known](std::span<const std::byte* const> outputs) {
    return quality(attached(p, buffers, outputs), *known);
  };
  w.reference = [p, known](std::span<void* const> addresses) {
    solve(attached(p, buffers, addresses), *known);
  };
  w.work = work(p);
  w.input = facts_of(p, *known);
  w.storage = known;
  return w;
}

}  // namespace ablate::sparse_conv
