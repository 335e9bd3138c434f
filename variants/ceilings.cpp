// What the chip reaches: bandwidth, launch, reductions, tensor rate. Every run on a GPU measures these first;
// a case's floors are computed from them.
#include "kernels/ceilings/ceilings.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/registry/define.h"

namespace ablate::ceilings {
namespace {

resource parse(const std::string& word) {
  if (word == "dram_copy_bytes") return resource::dram_copy_bytes;
  if (word == "dram_read_bytes") return resource::dram_read_bytes;
  if (word == "dram_write_bytes") return resource::dram_write_bytes;
  if (word == "l2_bytes") return resource::l2_bytes;
  if (word == "atomics_distinct") return resource::atomics_distinct;
  if (word == "atomics_equal") return resource::atomics_equal;
  if (word == "tensor_bf16_flops") return resource::tensor_bf16_flops;
  return resource::launch;
}

problem problem_at(const axis_values& at, const input_library&) {
  problem p;
  p.what = parse(at.word("resource"));
  switch (p.what) {
    case resource::dram_copy_bytes:
    case resource::dram_read_bytes:
    case resource::dram_write_bytes:
      p.elements = 1 << 27;
      break;  // 512 MiB, eight times the largest L2
    case resource::l2_bytes:
      p.elements = 1 << 22;
      break;  // 16 MiB: in either half of every chip's L2
    case resource::atomics_distinct:
      p.elements = 1 << 24, p.counters = 1 << 21;
      break;
    case resource::atomics_equal:
      p.elements = 1 << 20, p.counters = 1;
      break;
    case resource::launch:
    case resource::tensor_bf16_flops:
      break;
  }
  return p;
}

std::vector<buffer> buffers(const problem& p) {
  const bool adds = p.counters > 0;
  return {{"in", input_bytes(p), buffer_role::input},
          {"out", output_bytes(p), buffer_role::output, adds ? buffer_reset::zeros : buffer_reset::poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.in = addresses[0];
  p.out = addresses[1];
}

work_model work(const problem& p) {
  switch (p.what) {
    case resource::dram_copy_bytes:
      return {.bytes = 8.0 * static_cast<double>(p.elements)};
    case resource::dram_read_bytes:
    case resource::dram_write_bytes:
    case resource::l2_bytes:
      return {.bytes = 4.0 * static_cast<double>(p.elements)};
    case resource::atomics_distinct:
    case resource::atomics_equal:
      return {.atomics = static_cast<double>(p.elements)};
    case resource::tensor_bf16_flops:
      return {.flops = 2.0 * tile_rows * tile_columns * tile_depth * tensor_rounds * tensor_blocks *
                       tensor_warps_per_block};
    case resource::launch:
      break;
  }
  return {};
}

// bf16 integers from −2 to 2 keep the tensor product's sums exact; other inputs are any bits.
void fill(const problem& p, std::uint64_t seed, std::vector<std::byte>& in) {
  std::uint64_t state = seed;
  const auto next = [&] {
    return state = state * 6364136223846793005ull + 1442695040888963407ull, state >> 33;
  };
  if (p.what == resource::tensor_bf16_flops) {
    constexpr std::uint16_t integers[] = {0xc000, 0xbf80, 0x0000, 0x3f80, 0x4000};
    for (std::size_t i = 0; i < in.size(); i += 2) std::memcpy(&in[i], &integers[next() % 5], 2);
  } else {
    for (std::size_t i = 0; i < in.size(); i += 4) {
      const auto word = static_cast<std::uint32_t>(next());
      std::memcpy(&in[i], &word, 4);
    }
  }
}

workload prepare(const problem& p, const axis_values&, const input_library& inputs) {
  auto in = std::make_shared<std::vector<std::byte>>(input_bytes(p));
  fill(p, inputs.seed(), *in);
  workload w;
  w.contents = {std::span(*in), {}};
  w.reference = [p, in](std::span<void* const> host) { reference(p, in->data(), host[1]); };
  w.check = [p, in](std::span<const std::byte* const> outputs) -> check_result {
    std::vector<std::byte> expected(output_bytes(p));
    reference(p, in->data(), expected.data());
    const auto differs = std::mismatch(expected.begin(), expected.end(), outputs[1]).first;
    if (differs == expected.end()) return {.ok = true};
    return {false, "out differs from the reference at byte " + std::to_string(differs - expected.begin())};
  };
  w.work = work(p);
  w.input = {{"hash", hash_hex(in->data(), in->size())}};
  w.storage = in;
  return w;
}

axis_values at(const char* name) { return {{"resource", name}}; }
axis_conditions only(const char* name) { return {{"resource", {name}}}; }

}  // namespace

// clang-format off
const bool defined = define<problem>({
    .name = "ceilings",
    .description = "what the chip reaches: bandwidth, launch cost, reductions, tensor rate",
    .axes = {axis::of_words("resource",
                            {"dram_copy_bytes", "dram_read_bytes", "dram_write_bytes", "l2_bytes", "launch",
                             "atomics_distinct", "atomics_equal", "tensor_bf16_flops"},
                            "what is driven to its limit")},
    .baseline = "copy_vec16",
    .problem = problem_at,
    .buffers = buffers,
    .attach = attach,
    .prepare = prepare,
    .calibrations = {{"dram_copy_bytes", at("dram_copy_bytes"), cache_state::rotating},
                     {"dram_read_bytes", at("dram_read_bytes"), cache_state::rotating},
                     {"dram_write_bytes", at("dram_write_bytes"), cache_state::rotating},
                     {"l2_bytes", at("l2_bytes"), cache_state::hot},
                     {"launch", at("launch"), cache_state::cold_clean},
                     {"launch_hot", at("launch"), cache_state::hot},
                     {"atomics_distinct", at("atomics_distinct"), cache_state::hot},
                     {"atomics_equal", at("atomics_equal"), cache_state::hot},
                     {"tensor_bf16_flops", at("tensor_bf16_flops"), cache_state::hot}},
    .variants = {
        {"copy_vec16", ABLATE_LAUNCH(copy_vec16), {}, "copy of 512 MiB, 16 bytes an access", only("dram_copy_bytes")},
        {"read_vec16", ABLATE_LAUNCH(read_vec16), {}, "read of 512 MiB, 16 bytes an access", only("dram_read_bytes")},
        {"write_vec16", ABLATE_LAUNCH(write_vec16), {}, "write of 512 MiB, 16 bytes an access", only("dram_write_bytes")},
        {"read_l2_vec16", ABLATE_LAUNCH(read_vec16), {}, "read of 16 MiB that stay in L2, 16 bytes an access", only("l2_bytes")},
        {"smallest_kernel", ABLATE_LAUNCH(smallest_kernel), {}, "one thread stores one word", only("launch")},
        {"red_scattered", ABLATE_LAUNCH(red_scattered), {}, "2^24 reductions over 2^21 counters", only("atomics_distinct")},
        {"red_one_address", ABLATE_LAUNCH(red_one_address), {}, "2^20 reductions to one counter", only("atomics_equal")},
        {"mma_sync_bf16", ABLATE_LAUNCH(mma_sync_bf16), {}, "mma.sync m16n8k16 from registers", only("tensor_bf16_flops")},
    }});
// clang-format on

}  // namespace ablate::ceilings
