// The chip's limits: bandwidth, launch, reductions, rates of tensor and FMA pipes, random accesses. Every run
// on a GPU measures these first; a case's floors are computed from them. Axes, and one entry per variant;
// resources, buffers, inputs, check and work model are in variants/ceilings/.
#include "kernels/ceilings/ceilings.h"

#include <cstring>

#include "harness/registry/define.h"
#include "kernels/ceilings/launches.h"
#include "kernels/common/poison.h"
#include "variants/ceilings/buffers.h"
#include "variants/ceilings/prepare.h"
#include "variants/ceilings/resources.h"

namespace ablate::ceilings {
namespace {

std::optional<std::string> refuses(const axis_values& at) {
  const std::string& resource = at.word("resource");
  const bool named = at.word("footprint") != own_footprint;
  if (spreads_over_footprint(parse(resource).what) == named) return std::nullopt;
  return named ? "resource '" + resource + "' has no footprint to choose; expected 'fixed'"
               : "resource '" + resource + "' spreads over a footprint; expected 64KiB to 16GiB, not 'fixed'";
}

problem problem_at(const axis_values& at, const input_library&) {
  const named_resource& named = parse(at.word("resource"));
  problem p;
  p.what = named.what;
  p.reduced = named.reduced;
  if (!adds_to_memory(p.what)) std::memset(&p.untouched, poison_byte, sizeof p.untouched);
  if (spreads_over_footprint(p.what)) p.sector_bits = sector_bits_of(at.word("footprint"));
  switch (p.what) {
    case resource::dram_copy_bytes:
    case resource::dram_read_bytes:
    case resource::dram_write_bytes:
      p.elements = 1 << 27;
      break;  // 512 MiB, eight times the largest L2
    case resource::l2_bytes:
      p.elements = 1 << 22;
      break;  // 16 MiB: fits in either half of every chip's L2
    case resource::atomics_distinct:
    case resource::atomics_full_sectors:
      p.elements = 1 << 24, p.counters = (1 << 23) / static_cast<std::int64_t>(operand_bytes(p.reduced));
      break;  // 8 MiB: in L2
    case resource::atomics_equal:
      p.elements = 1 << 20, p.counters = 1;
      break;
    case resource::random_read_sectors:
    case resource::random_read_16b:
    case resource::random_write_sectors:
    case resource::random_cas:
    case resource::random_add:
    case resource::random_min:
      p.elements = 1 << 24;
      break;  // of a large footprint, 512 MiB are touched: none of it is still in L2 when its turn comes
              // again
    case resource::random_read_pairs:
      p.elements = 1 << 23;
      break;
    case resource::random_read_blocks:
      p.elements = 1 << 19;
      break;  // 2 GiB
    case resource::one_word_cas:
    case resource::one_word_add:
      p.elements = 1 << 20, p.sector_bits = 0;
      break;
    case resource::launch:
    case resource::tensor_bf16_flops:
    case resource::tensor_bf16_wgmma_flops:
    case resource::fma_f32_flops:
      break;
  }
  return p;
}

std::optional<problem> readback(const problem& p) {
  if (p.sector_bits < 0 || reads_only(p.what)) return std::nullopt;
  problem sampled = p;
  sampled.is_sampled = true;
  return sampled;
}

axis_values at(const char* name, const char* footprint = own_footprint) {
  return {{"resource", name}, {"footprint", footprint}};
}
axis_conditions only(const char* name) { return {{"resource", {name}}}; }
/// A kind of reduction with the operands that every chip supports.
axis_conditions reductions(const std::string& kind) {
  return {{"resource", {kind, kind + "_f32", kind + "_u64"}}};
}

}  // namespace

const bool defined = define<problem>(
    {.name = "ceilings",
     .description =
         "what the chip reaches: bandwidth, launch cost, reductions, rates of pipes, random accesses",
     .axes = {axis::of_words("resource", resource_words(), "what is driven to its limit"),
              axis::of_words(
                  "footprint", footprint_words(),
                  "bytes that random accesses spread over; fixed where a resource has its own size")},
     .baseline = "copy_vec16",
     .problem = problem_at,
     .buffers = buffers,
     .prepare = prepare,
     .refuses = refuses,
     .readback = readback,
     .fill = ABLATE_LAUNCH(fill_memory),
     .calibrations = {{"dram_copy_bytes", at("dram_copy_bytes"), cache_state::rotating},
                      {"dram_read_bytes", at("dram_read_bytes"), cache_state::rotating},
                      {"dram_write_bytes", at("dram_write_bytes"), cache_state::rotating},
                      {"l2_bytes", at("l2_bytes"), cache_state::hot},
                      {"launch", at("launch"), cache_state::cold_clean},
                      {"launch_hot", at("launch"), cache_state::hot},
                      {"atomics_distinct", at("atomics_distinct"), cache_state::hot},
                      {"atomics_distinct_f32", at("atomics_distinct_f32"), cache_state::hot},
                      {"atomics_full_sectors", at("atomics_full_sectors"), cache_state::hot},
                      {"atomics_full_sectors_f32", at("atomics_full_sectors_f32"), cache_state::hot},
                      {"tensor_bf16_flops", at("tensor_bf16_flops"), cache_state::hot},
                      {"tensor_bf16_wgmma_flops", at("tensor_bf16_wgmma_flops"), cache_state::hot},
                      {"fma_f32_flops", at("fma_f32_flops"), cache_state::hot},
                      // The upper bound for a table in L1, in L2, partly in L2, or in neither.
                      {"random_read_sectors_64kib", at("random_read_sectors", "64KiB"), cache_state::hot},
                      {"random_read_sectors_16mib", at("random_read_sectors", "16MiB"), cache_state::hot},
                      {"random_read_sectors_64mib", at("random_read_sectors", "64MiB"), cache_state::hot},
                      {"random_read_sectors_128mib", at("random_read_sectors", "128MiB"), cache_state::hot},
                      {"random_read_sectors_256mib", at("random_read_sectors", "256MiB"), cache_state::hot},
                      {"random_cas_16mib", at("random_cas", "16MiB"), cache_state::hot},
                      {"random_cas_64mib", at("random_cas", "64MiB"), cache_state::hot},
                      {"random_cas_128mib", at("random_cas", "128MiB"), cache_state::hot},
                      {"random_cas_256mib", at("random_cas", "256MiB"), cache_state::hot}},
     .variants = {
         {"copy_vec16",
          ABLATE_LAUNCH(copy_vec16),
          {},
          "copy of 512 MiB, 16 bytes per access",
          {.only_where = only("dram_copy_bytes")}},
         {"read_vec16",
          ABLATE_LAUNCH(read_vec16),
          {},
          "read of 512 MiB, 16 bytes per access",
          {.only_where = only("dram_read_bytes")}},
         {"write_vec16",
          ABLATE_LAUNCH(write_vec16),
          {},
          "write of 512 MiB, 16 bytes per access",
          {.only_where = only("dram_write_bytes")}},
         {"read_l2_vec16",
          ABLATE_LAUNCH(read_vec16),
          {},
          "read of 16 MiB that stay in L2, 16 bytes per access",
          {.only_where = only("l2_bytes")}},
         {"smallest_kernel",
          ABLATE_LAUNCH(smallest_kernel),
          {},
          "one thread stores one word",
          {.only_where = only("launch")}},
         {"red_scattered",
          ABLATE_LAUNCH(red_scattered),
          {},
          "2^24 reductions over 8 MiB of counters, each to a sector of its own",
          {.only_where = reductions("atomics_distinct")}},
         {"red_full_sectors",
          ABLATE_LAUNCH(red_full_sectors),
          {},
          "2^24 reductions over 8 MiB of counters, neighbors filling sectors",
          {.only_where = reductions("atomics_full_sectors")}},
         {"red_one_address",
          ABLATE_LAUNCH(red_one_address),
          {},
          "2^20 reductions to one counter",
          {.only_where = reductions("atomics_equal")}},
         {"red_scattered_v2",
          ABLATE_LAUNCH(red_scattered),
          {},
          "2^24 reductions of two fp32 numbers in one instruction, each to a sector of its "
          "own; counted as one reduction",
          {.only_where = only("atomics_distinct_f32x2"), .minimum_compute_capability = 90}},
         {"red_full_sectors_v2",
          ABLATE_LAUNCH(red_full_sectors),
          {},
          "2^24 reductions of two fp32 numbers in one instruction, neighbors filling "
          "sectors; counted as one reduction",
          {.only_where = only("atomics_full_sectors_f32x2"), .minimum_compute_capability = 90}},
         {"red_one_address_v2",
          ABLATE_LAUNCH(red_one_address),
          {},
          "2^20 reductions of two fp32 numbers in one instruction, to one address; counted as one reduction",
          {.only_where = only("atomics_equal_f32x2"), .minimum_compute_capability = 90}},
         {"mma_sync_bf16",
          ABLATE_LAUNCH(mma_sync_bf16),
          {},
          "mma.sync m16n8k16 from registers",
          {.only_where = only("tensor_bf16_flops")}},
         {"tensor_wgmma",
          ABLATE_LAUNCH(tensor_wgmma),
          {},
          "wgmma m64n256k16 from shared memory, two warpgroups per block",
          {.only_where = only("tensor_bf16_wgmma_flops"), .minimum_compute_capability = 90}},
         {"fma_f32",
          ABLATE_LAUNCH(fma_f32),
          {},
          "fp32 multiply-adds in registers, 8 independent sums per thread",
          {.only_where = only("fma_f32_flops")}},
         {"load_8",
          ABLATE_LAUNCH(load_8),
          {},
          "8-byte loads of scattered sectors, 8 in flight per thread",
          {.only_where = only("random_read_sectors")}},
         {"load_16",
          ABLATE_LAUNCH(load_16),
          {},
          "16-byte loads of scattered sectors, 4 in flight per thread",
          {.only_where = only("random_read_16b")}},
         {"load_8_twice",
          ABLATE_LAUNCH(load_8_twice),
          {},
          "8-byte loads of scattered sectors, each followed by one that depends on it, 8 "
          "pairs in flight per thread",
          {.only_where = only("random_read_pairs")}},
         {"gather_4kib",
          ABLATE_LAUNCH(gather_4kib),
          {},
          "scattered blocks of 4 KiB, 16 bytes per lane, 2 blocks in flight per warp",
          {.only_where = only("random_read_blocks")}},
         {"store_4",
          ABLATE_LAUNCH(store_4),
          {},
          "4-byte stores to scattered sectors",
          {.only_where = only("random_write_sectors")}},
         {"cas_64",
          ABLATE_LAUNCH(cas_64),
          {},
          "64-bit compare-and-swap of a word in scattered sectors, 8 in flight per thread",
          {.only_where = only("random_cas")}},
         {"red_add_64",
          ABLATE_LAUNCH(red_add_64),
          {},
          "64-bit additions to a word in scattered sectors, nothing returned",
          {.only_where = only("random_add")}},
         {"red_min_64",
          ABLATE_LAUNCH(red_min_64),
          {},
          "64-bit minima with a word in scattered sectors, nothing returned",
          {.only_where = only("random_min")}},
         {"cas_64_one_word",
          ABLATE_LAUNCH(cas_64),
          {},
          "2^20 64-bit compare-and-swaps of one word",
          {.only_where = only("one_word_cas")}},
         {"atom_add_64_one_word",
          ABLATE_LAUNCH(atom_add_64),
          {},
          "2^20 numbers drawn from one 64-bit counter; ptxas merges a warp's additions into one atomic",
          {.only_where = only("one_word_add")}},
     }});

}  // namespace ablate::ceilings
