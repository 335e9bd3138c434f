#include "harness/device/kernel_resources.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace ablate {
namespace {

std::vector<std::span<const kernel_resources>>& registered_tables() {
  static std::vector<std::span<const kernel_resources>> tables;
  return tables;
}

auto key(const kernel_resources& r) { return std::tie(r.kernel, r.architecture); }

auto facts(const kernel_resources& r) {
  return std::tie(r.registers, r.stack_bytes, r.spill_store_bytes, r.spill_load_bytes, r.static_shared_bytes);
}

std::vector<kernel_resources> merged_tables() {
  std::vector<kernel_resources> all;
  for (const auto table : registered_tables()) all.insert(all.end(), table.begin(), table.end());
  std::ranges::sort(all, [](const auto& a, const auto& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (key(all[i - 1]) == key(all[i]) && facts(all[i - 1]) != facts(all[i]))
      throw std::logic_error("this program holds two kernels " + std::string(all[i].kernel) + " for " +
                             std::string(all[i].architecture) + ": give them different names");
  const auto repeated =
      std::ranges::unique(all, [](const auto& a, const auto& b) { return key(a) == key(b); });
  all.erase(repeated.begin(), repeated.end());
  return all;
}

}  // namespace

bool register_kernel_resources(std::span<const kernel_resources> table) {
  registered_tables().push_back(table);
  return true;
}

std::span<const kernel_resources> all_kernel_resources() {
  static const std::vector<kernel_resources> all = merged_tables();
  return all;
}

}  // namespace ablate
