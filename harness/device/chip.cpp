#include "harness/device/chip.h"

#include <array>

namespace ablate {

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;
constexpr std::size_t gb = 1'000'000'000;

chip hopper(std::string name, std::size_t memory_bytes, std::size_t l2_bytes, double dram_bytes_per_s) {
  chip c;
  c.name = std::move(name);
  c.silicon = "GH100";
  c.compute_capability = 90;
  c.architecture = "sm_90a";
  c.multiprocessors = 132;
  c.memory_bytes = memory_bytes;
  c.l2_bytes = l2_bytes;
  c.dram_bytes_per_s = dram_bytes_per_s;
  c.shared_bytes_per_multiprocessor = 228 * kib;
  c.shared_bytes_per_block = 227 * kib;
  c.shared_bytes_reserved_per_block = 1 * kib;
  c.warps_per_multiprocessor = 64;
  c.blocks_per_multiprocessor = 32;
  c.registers_per_multiprocessor = 64 * 1024;
  return c;
}

chip ampere(std::string name, std::size_t memory_bytes, std::size_t l2_bytes, double dram_bytes_per_s) {
  chip c = hopper(std::move(name), memory_bytes, l2_bytes, dram_bytes_per_s);
  c.silicon = "GA100";
  c.compute_capability = 80;
  c.architecture = "sm_80";
  c.multiprocessors = 108;
  c.shared_bytes_per_multiprocessor = 164 * kib;
  c.shared_bytes_per_block = 163 * kib;
  return c;
}

/// What a product name holds; "H100 PCIe" and "H100 NVL" are other boards with other clocks and memories.
struct product {
  std::string_view holds, chip;
};
constexpr std::array<product, 4> products = {
    {{"A100-SXM4-80GB", "a100"}, {"A100-SXM-80GB", "a100"}, {"H100 80GB HBM3", "h100"}, {"H200", "h200"}}};

}  // namespace

const std::vector<chip>& chips() {
  static const std::vector<chip> all = {
      ampere("a100", 80 * gb, 40 * mib, 2.039e12),
      hopper("h100", 80 * gb, 50 * mib, 3.35e12),
      hopper("h200", 141 * gb, 60 * mib, 4.8e12),
  };
  return all;
}

const chip* find_chip(std::string_view name) {
  for (const chip& c : chips())
    if (c.name == name) return &c;
  return nullptr;
}

const chip* chip_of_product(std::string_view product_name) {
  if (product_name.find("NVL") != std::string_view::npos ||
      product_name.find("GH200") != std::string_view::npos)
    return nullptr;
  for (const product& p : products)
    if (product_name.find(p.holds) != std::string_view::npos) return find_chip(p.chip);
  return nullptr;
}

}  // namespace ablate
