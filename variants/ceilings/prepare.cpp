#include "variants/ceilings/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

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

// Integers from −2 to 2 keep the sums of products exact; those for multiply-adds are nonzero, so that each
// one changes its sum. Other inputs are arbitrary bits.
void fill(const problem& p, std::uint64_t seed, std::vector<std::byte>& in) {
  std::uint64_t state = seed;
  const auto next = [&] {
    return state = state * 6364136223846793005ull + 1442695040888963407ull, state >> 33;
  };
  if (p.what == resource::tensor_bf16_flops || p.what == resource::tensor_bf16_wgmma_flops) {
    constexpr std::uint16_t integers[] = {0xc000, 0xbf80, 0x0000, 0x3f80, 0x4000};
    for (std::size_t i = 0; i < in.size(); i += 2) std::memcpy(&in[i], &integers[next() % 5], 2);
  } else if (p.what == resource::fma_f32_flops) {
    constexpr float integers[] = {-2, -1, 1, 2};
    for (std::size_t i = 0; i < in.size(); i += 4) std::memcpy(&in[i], &integers[next() % 4], 4);
  } else {
    for (std::size_t i = 0; i < in.size(); i += 4) {
      const auto word = static_cast<std::uint32_t>(next());
      std::memcpy(&in[i], &word, 4);
    }
  }
}

std::uint32_t word_of(const std::byte* bytes, std::size_t i) {
  std::uint32_t word;
  std::memcpy(&word, bytes + sizeof word * i, sizeof word);
  return word;
}

}  // namespace

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  struct host_data {
    std::vector<std::byte> in;
    std::vector<std::byte> expected;  ///< computed when the first output is compared
  };
  auto data = std::make_shared<host_data>();
  data->in.resize(input_bytes(p));
  fill(p, inputs.seed(), data->in);
  workload w;
  w.contents.resize(places);
  w.contents[in] = std::span(data->in);
  w.reference = [p, data](std::span<void* const> host) { reference(p, data->in.data(), host[out]); };
  w.check = [p, data](std::span<const std::byte* const> outputs) -> check_result {
    std::vector<std::byte>& expected = data->expected;
    if (expected.empty()) {
      expected.resize(output_bytes(p));
      reference(p, data->in.data(), expected.data());
    }
    const std::byte* const found = outputs[out];
    if (std::memcmp(expected.data(), found, expected.size()) == 0) return {.ok = true};
    const auto differs = std::mismatch(expected.begin(), expected.end(), found).first;
    const auto word = static_cast<std::size_t>(differs - expected.begin()) / sizeof(std::uint32_t);
    return {false, fmt::format("word {} of out: expected {:#010x}, found {:#010x}", word,
                               word_of(expected.data(), word), word_of(found, word))};
  };
  w.work = work(p);
  w.input = {{"hash", hash_hex(data->in.data(), data->in.size())}};
  w.storage = data;
  return w;
}

}  // namespace ablate::ceilings
