#include "harness/device/chip.h"

#include <array>

#include "harness/device/gpu_names.h"

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
  c.tensor_bf16_flops_per_s = 989.4e12;
  c.fma_f32_flops_per_s = 66.9e12;
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
  c.tensor_bf16_flops_per_s = 312e12;
  c.fma_f32_flops_per_s = 19.5e12;
  c.shared_bytes_per_multiprocessor = 164 * kib;
  c.shared_bytes_per_block = 163 * kib;
  return c;
}

chip with_multiprocessors(chip c, int count) {
  c.multiprocessors = count;
  return c;
}

/// What a product name holds; "H100 PCIe" and "H100 NVL" are other boards with other clocks and memories.
struct product {
  std::string_view holds, chip;
};
constexpr std::array<product, 8> products = {{{"A100-SXM4-80GB", "a100"},
                                              {"A100-SXM-80GB", "a100"},
                                              {"A100-SXM4-40GB", "a100_40gb"},
                                              {"A100-PCIE-40GB", "a100_40gb"},
                                              {"A100 80GB PCIe", "a100_pcie"},
                                              {"H100 80GB HBM3", "h100"},
                                              {"H100 PCIe", "h100_pcie"},
                                              {"H200", "h200"}}};

const chip* find_in(const std::vector<chip>& all, std::string_view name) {
  for (const chip& c : all)
    if (c.name == name) return &c;
  return nullptr;
}

const chip* of_capability(int compute_capability) {
  for (const chip& c : chips())
    if (c.compute_capability == compute_capability) return &c;
  return nullptr;
}

}  // namespace

const std::vector<chip>& chips() {
  static const std::vector<chip> all = {
      ampere("a100", 80 * gb, 40 * mib, 2.039e12),
      hopper("h100", 80 * gb, 50 * mib, 3.35e12),
      hopper("h200", 141 * gb, 60 * mib, 4.8e12),
  };
  return all;
}

const std::vector<chip>& other_boards() {
  static const std::vector<chip> all = {
      ampere("a100_40gb", 40 * gb, 40 * mib, 1.555e12),
      ampere("a100_pcie", 80 * gb, 40 * mib, 1.935e12),
      with_multiprocessors(hopper("h100_pcie", 80 * gb, 50 * mib, 2.0e12), 114),
  };
  return all;
}

const chip* find_chip(std::string_view name) {
  const chip* found = find_in(chips(), name);
  return found ? found : find_in(other_boards(), name);
}

const chip* chip_of_product(std::string_view product_name) {
  // A slice has a part of the multiprocessors, L2 and bandwidth of its chip.
  if (product_name.find("NVL") != std::string_view::npos ||
      product_name.find("GH200") != std::string_view::npos || is_mig_slice(product_name))
    return nullptr;
  for (const product& p : products)
    if (product_name.find(p.holds) != std::string_view::npos) return find_chip(p.chip);
  return nullptr;
}

std::optional<std::string> silicon_of(int compute_capability) {
  const chip* known = of_capability(compute_capability);
  return known ? std::optional(known->silicon) : std::nullopt;
}

std::string architecture_of(int compute_capability) {
  const chip* known = of_capability(compute_capability);
  return known ? known->architecture : "sm_" + std::to_string(compute_capability);
}

}  // namespace ablate
