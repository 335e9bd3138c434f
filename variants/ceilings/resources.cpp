#include "variants/ceilings/resources.h"

#include <bit>
#include <stdexcept>

namespace ablate::ceilings {
namespace {

constexpr named_resource resources[] = {
    {"dram_copy_bytes", resource::dram_copy_bytes},
    {"dram_read_bytes", resource::dram_read_bytes},
    {"dram_write_bytes", resource::dram_write_bytes},
    {"l2_bytes", resource::l2_bytes},
    {"launch", resource::launch},
    {"atomics_distinct", resource::atomics_distinct},
    {"atomics_distinct_f32", resource::atomics_distinct, operand::float32},
    {"atomics_distinct_u64", resource::atomics_distinct, operand::uint64},
    {"atomics_distinct_f32x2", resource::atomics_distinct, operand::float32x2},
    {"atomics_full_sectors", resource::atomics_full_sectors},
    {"atomics_full_sectors_f32", resource::atomics_full_sectors, operand::float32},
    {"atomics_full_sectors_u64", resource::atomics_full_sectors, operand::uint64},
    {"atomics_full_sectors_f32x2", resource::atomics_full_sectors, operand::float32x2},
    {"atomics_equal", resource::atomics_equal},
    {"atomics_equal_f32", resource::atomics_equal, operand::float32},
    {"atomics_equal_u64", resource::atomics_equal, operand::uint64},
    {"atomics_equal_f32x2", resource::atomics_equal, operand::float32x2},
    {"tensor_bf16_flops", resource::tensor_bf16_flops},
    {"tensor_bf16_wgmma_flops", resource::tensor_bf16_wgmma_flops},
    {"fma_f32_flops", resource::fma_f32_flops},
    {"random_read_sectors", resource::random_read_sectors},
    {"random_read_16b", resource::random_read_16b},
    {"random_read_pairs", resource::random_read_pairs},
    {"random_read_blocks", resource::random_read_blocks},
    {"random_write_sectors", resource::random_write_sectors},
    {"random_cas", resource::random_cas},
    {"random_add", resource::random_add},
    {"random_min", resource::random_min},
    {"one_word_cas", resource::one_word_cas},
    {"one_word_add", resource::one_word_add}};

// Footprints are powers of two from 64 KiB to 16 GiB.
constexpr int smallest_footprint_bits = 16, largest_footprint_bits = 34;

std::string footprint_word(int bits) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB"};
  return std::to_string(1 << bits % 10) + units[bits / 10 - 1];
}

}  // namespace

std::vector<std::string> resource_words() {
  std::vector<std::string> words;
  for (const named_resource& named : resources) words.push_back(named.word);
  return words;
}

const named_resource& parse(const std::string& word) {
  for (const named_resource& named : resources)
    if (named.word == word) return named;
  throw std::out_of_range("no resource '" + word + "'");
}

bool spreads_over_footprint(resource what) {
  return what >= resource::random_read_sectors && what <= resource::random_min;
}

bool adds_to_memory(resource what) { return what == resource::random_add || what == resource::one_word_add; }

std::vector<std::string> footprint_words() {
  std::vector<std::string> words = {own_footprint};
  for (int bits = smallest_footprint_bits; bits <= largest_footprint_bits; ++bits)
    words.push_back(footprint_word(bits));
  return words;
}

int sector_bits_of(const std::string& footprint) {
  for (int bits = smallest_footprint_bits; bits <= largest_footprint_bits; ++bits)
    if (footprint_word(bits) == footprint) return bits - std::countr_zero(unsigned{sector_bytes});
  return smallest_footprint_bits - std::countr_zero(unsigned{sector_bytes});
}

}  // namespace ablate::ceilings
