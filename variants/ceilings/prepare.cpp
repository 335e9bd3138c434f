#include "variants/ceilings/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "harness/inputs/host_bytes.h"
#include "kernels/common/in_parts.h"
#include "oracles/ceilings/reference.h"
#include "variants/ceilings/buffers.h"

namespace ablate::ceilings {
namespace {

work_model work(const problem& p) {
  switch (p.what) {
    case resource::dram_copy_bytes:
      return {.bytes = 8.0 * static_cast<double>(p.elements),
              .written_bytes = 4.0 * static_cast<double>(p.elements)};
    case resource::dram_write_bytes:
      return {.bytes = 4.0 * static_cast<double>(p.elements),
              .written_bytes = 4.0 * static_cast<double>(p.elements)};
    case resource::dram_read_bytes:
    case resource::l2_bytes:
      return {.bytes = 4.0 * static_cast<double>(p.elements)};
    case resource::atomics_distinct:
    case resource::atomics_full_sectors:
    case resource::atomics_equal:
      return {.atomics = static_cast<double>(p.elements)};
    case resource::random_read_sectors:
    case resource::random_read_16b:
      return {.bytes = sector_bytes * static_cast<double>(p.elements)};
    case resource::random_read_blocks:
      return {.bytes = gathered_bytes * static_cast<double>(p.elements)};
    case resource::random_write_sectors:
      return {.bytes = sector_bytes * static_cast<double>(p.elements),
              .written_bytes = sector_bytes * static_cast<double>(p.elements)};
    case resource::random_read_pairs:
      return {.bytes = 2.0 * sector_bytes * static_cast<double>(p.elements)};
    case resource::random_cas:
    case resource::random_add:
    case resource::random_min:
    case resource::one_word_cas:
    case resource::one_word_add:
      return {.atomics = static_cast<double>(p.elements)};
    case resource::tensor_bf16_flops:
      return {.flops = 2.0 * tile_rows * tile_columns * tile_depth * tensor_rounds * tensor_blocks *
                       tensor_warps_per_block,
              .flop_pipe = "tensor_bf16"};
    case resource::tensor_bf16_wgmma_flops:
      return {.flops = 2.0 * wgmma_rows * wgmma_columns * wgmma_depth * tensor_rounds * wgmma_blocks,
              .flop_pipe = "tensor_bf16"};
    case resource::fma_f32_flops:
      return {.flops = 2.0 * fma_blocks * fma_threads_per_block * fma_chains * fma_rounds,
              .flop_pipe = "fma_f32"};
    case resource::launch:
      break;
  }
  return {};
}

/// A linear congruential generator. Its numbers are the upper 31 bits of its states.
struct generator {
  std::uint64_t factor = 6364136223846793005, increment = 1442695040888963407;

  constexpr std::uint64_t operator()(std::uint64_t state) const { return state * factor + increment; }
  /// One whose every step is `steps` of this.
  constexpr generator ahead(std::uint64_t steps) const {
    generator all{1, 0}, power = *this;
    for (; steps > 0; steps /= 2, power = power.after(power))
      if (steps % 2 == 1) all = all.after(power);
    return all;
  }
  constexpr generator after(const generator& first) const {
    return {factor * first.factor, factor * first.increment + increment};
  }
  static constexpr std::uint32_t number_of(std::uint64_t state) {
    return static_cast<std::uint32_t>(state >> 33);
  }
};

constexpr std::size_t lanes = 8;

/// Eight at a time: each state is the product of the one before it, and a processor waits four cycles for a
/// product, but begins one in each of them.
void fill_one_by_one(std::uint64_t seed, std::span<std::byte> in) {
  constexpr generator one, eight = one.ahead(lanes);
  std::uint64_t states[lanes];
  for (std::uint64_t& state : states) state = seed = one(seed);
  for (std::size_t at = 0; at < in.size(); at += 4 * lanes) {
    std::uint32_t numbers[lanes];
    for (std::size_t i = 0; i < lanes; ++i) {
      numbers[i] = generator::number_of(states[i]);
      states[i] = eight(states[i]);
    }
    std::memcpy(in.data() + at, numbers, std::min(sizeof numbers, in.size() - at));
  }
}

/// Half a GB is mostly the first touch of its pages, which several threads do side by side.
void fill_with_numbers(std::uint64_t seed, std::span<std::byte> in) {
  constexpr std::size_t step = 4 * lanes;
  const auto steps = static_cast<std::int64_t>((in.size() + step - 1) / step);
  in_parts(steps, 1 << 15, [&](std::int64_t first, std::int64_t end) {
    const std::size_t from = step * static_cast<std::size_t>(first),
                      to = std::min(step * static_cast<std::size_t>(end), in.size());
    fill_one_by_one(generator().ahead(from / 4)(seed), in.subspan(from, to - from));
  });
}

bool is_of_integers(resource what) {
  return what == resource::tensor_bf16_flops || what == resource::tensor_bf16_wgmma_flops ||
         what == resource::fma_f32_flops;
}

// Integers from −2 to 2 keep the sums of products exact; those for multiply-adds are nonzero, so that each
// one changes its sum. Other inputs are arbitrary bits.
void fill(const problem& p, std::uint64_t seed, std::span<std::byte> in) {
  if (!is_of_integers(p.what)) return fill_with_numbers(seed, in);
  std::uint64_t state = seed;
  const auto next = [&] { return generator::number_of(state = generator()(state)); };
  if (p.what == resource::fma_f32_flops) {
    constexpr float integers[] = {-2, -1, 1, 2};
    for (std::size_t i = 0; i < in.size(); i += 4) std::memcpy(&in[i], &integers[next() % 4], 4);
  } else {
    constexpr std::uint16_t integers[] = {0xc000, 0xbf80, 0x0000, 0x3f80, 0x4000};
    for (std::size_t i = 0; i < in.size(); i += 2) std::memcpy(&in[i], &integers[next() % 5], 2);
  }
}

/// Numbers follow from the seed alone. Those of copy, read and both measurements of neighbors are half a GB,
/// whose hash takes most of a second: it is computed once.
std::string hash_of(const problem& p, std::uint64_t seed, std::span<const std::byte> in) {
  if (is_of_integers(p.what)) return hash_hex(in.data(), in.size());
  static std::mutex mutex;
  static std::map<std::pair<std::uint64_t, std::size_t>, std::string> known;
  const std::scoped_lock lock(mutex);
  std::string& hash = known[{seed, in.size()}];
  if (hash.empty()) hash = hash_hex(in.data(), in.size());
  return hash;
}

std::uint32_t word_of(const std::byte* bytes, std::size_t i) {
  std::uint32_t word;
  std::memcpy(&word, bytes + sizeof word * i, sizeof word);
  return word;
}

}  // namespace

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  struct host_data {
    host_bytes in;
    host_bytes expected;  ///< computed when the first output is compared

    /// The oracle's output. Of a copy that is its input.
    std::span<const std::byte> right(const problem& p) {
      if (p.what == resource::dram_copy_bytes) return in;
      if (expected.empty()) {
        expected = host_bytes(output_bytes(p));
        reference(p, in.data(), expected.data());
      }
      return expected;
    }
  };
  auto data = std::make_shared<host_data>();
  data->in = host_bytes(input_bytes(p));
  fill(p, inputs.seed(), data->in);
  workload w;
  w.contents = contents_of(p, buffers, {{"in", data->in}});
  w.reference = [p, data](std::span<void* const> host) {
    reference(p, data->in.data(), attached(p, buffers, host).out);
  };
  w.check = [p, data](std::span<const std::byte* const> outputs) -> check_result {
    const std::span<const std::byte> expected = data->right(p);
    const auto* const found = static_cast<const std::byte*>(attached(p, buffers, outputs).out);
    if (std::memcmp(expected.data(), found, expected.size()) == 0) return {.ok = true};
    const auto differs = std::mismatch(expected.begin(), expected.end(), found).first;
    const auto word = static_cast<std::size_t>(differs - expected.begin()) / sizeof(std::uint32_t);
    return {false, fmt::format("word {} of out: expected {:#010x}, found {:#010x}", word,
                               word_of(expected.data(), word), word_of(found, word))};
  };
  w.work = work(p);
  w.input = {{"hash", hash_of(p, inputs.seed(), data->in)}};
  w.storage = data;
  return w;
}

}  // namespace ablate::ceilings
