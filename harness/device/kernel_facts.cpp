#include "harness/device/kernel_facts.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/record/case_json.h"
#include "harness/device/chip.h"
#include "harness/device/occupancy.h"

namespace ablate {

namespace {

using nlohmann::ordered_json;

const chip* chip_of_architecture(std::string_view architecture) {
  for (const chip& c : chips())
    if (c.architecture == architecture) return &c;
  return nullptr;
}

counter_values occupancy_by_architecture(const std::string& symbol, const kernel_launch& launch) {
  counter_values result;
  for (const kernel_resources& r : all_kernel_resources()) {
    if (r.kernel != symbol) continue;
    const chip* on = chip_of_architecture(r.architecture);
    std::optional<double> share;
    if (on)
      share = theoretical_occupancy(
          *on, {static_cast<int>(launch.block.x * launch.block.y * launch.block.z), r.registers,
                static_cast<std::size_t>(r.static_shared_bytes), launch.dynamic_shared_bytes});
    result.emplace_back(r.architecture, share);
  }
  return result;
}

}  // namespace

std::string kernel_symbol(const void* function) {
  // dladdr looks through every symbol of the program; and what holds kernels is never unloaded.
  thread_local std::unordered_map<const void*, std::string> known;
  const auto [entry, is_new] = known.try_emplace(function);
  Dl_info found{};
  // The nearest symbol below an address that has none is another function's.
  if (is_new && dladdr(function, &found) != 0 && found.dli_sname && found.dli_saddr == function)
    entry->second = found.dli_sname;
  return entry->second;
}

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;  // a C name may be a mangled type: "f" is float
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : symbol;
}

measured_case::kernel_launch launch_of(const kernel_launch& launch) {
  const std::string symbol = launch.symbol.empty() ? kernel_symbol(launch.function) : launch.symbol;
  const auto extent = [](const auto& of) { return std::array<long, 3>{of.x, of.y, of.z}; };
  return {symbol.empty() ? "a kernel without an exported symbol" : demangled(symbol), extent(launch.grid),
          extent(launch.block), static_cast<long>(launch.dynamic_shared_bytes),
          occupancy_by_architecture(symbol, launch)};
}

ordered_json describe(const kernel_launch& launch) {
  // A library whose kernels were not described is listed by its name alone.
  if (launch.grid.x == 0) return {{"name", launch.symbol}, {"library", true}};
  return to_json(launch_of(launch));
}

std::vector<std::pair<std::string, record::kernel_builds>> static_facts() {
  std::vector<std::pair<std::string, record::kernel_builds>> out;
  std::map<std::string, std::size_t> places;
  for (const kernel_resources& r : all_kernel_resources()) {
    const auto [place, is_new] = places.emplace(demangled(std::string(r.kernel)), out.size());
    if (is_new) out.emplace_back(place->first, record::kernel_builds{});
    out[place->second].second.emplace_back(
        r.architecture, compiled_kernel{r.registers, r.spill_store_bytes, r.spill_load_bytes, r.stack_bytes,
                                        r.static_shared_bytes});
  }
  return out;
}

}  // namespace ablate
