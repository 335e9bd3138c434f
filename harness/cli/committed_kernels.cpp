#include "harness/cli/committed_kernels.h"

#include <filesystem>

#include "base/process/data_directory.h"
#include "harness/build_facts.h"
#include "harness/device/chip.h"
#include "harness/registry/registry.h"
#include "reports/gate/static_facts.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;

ordered_json facts_of(const gate::kernel_static_facts& kernel) {
  ordered_json result = ordered_json::object();
  for (const auto& [architecture, code] : kernel.code)
    for (const gate::static_quantity& quantity : gate::resource_quantities()) {
      const auto found = code.resources.find(quantity.name);
      result[architecture][quantity.name] = found == code.resources.end() ? 0 : found->second;
    }
  return result;
}

/// A kernel's launches on an H200 by operation/variant, with the occupancy of other chips beside.
std::map<std::string, ordered_json> launches_of(const std::string& name,
                                                const gate::kernel_static_facts& kernel) {
  std::map<std::string, ordered_json> result;
  for (const auto& [key, launch] : kernel.launched_by)
    if (key.second == "h200")
      result[key.first] = {{"name", name}, {"dynamic_shared_bytes", launch.dynamic_shared_bytes}};
  for (const auto& [key, launch] : kernel.launched_by) {
    const chip* on = find_chip(key.second);
    const auto entry = result.find(key.first);
    if (on != nullptr && entry != result.end())
      entry->second["theoretical_occupancy"][on->architecture] = launch.occupancy;
  }
  return result;
}

/// Whether an operation of this program launches it: a program outside of Ablate's tree has `ceilings` alone
/// of Ablate's.
bool is_of_this_program(const gate::kernel_static_facts& kernel) {
  if (!is_own_program()) return true;
  for (const auto& [key, launch] : kernel.launched_by)
    if (find_operation(key.first.substr(0, key.first.find('/'))) != nullptr) return true;
  return false;
}

}  // namespace

committed_kernels read_committed_kernels() {
  const std::string file = "suites/gates/static_baseline.json";
  const std::filesystem::path path = process::data_directory() / file;
  committed_kernels result;
  result.facts = ordered_json::object();
  if (!std::filesystem::exists(path)) return result;
  result.file = file;
  for (const auto& [name, kernel] : gate::read_static_facts(path).kernels) {
    if (!is_of_this_program(kernel)) continue;
    result.facts[name] = facts_of(kernel);
    for (auto& [variant, launch] : launches_of(name, kernel))
      result.launches[variant].push_back(std::move(launch));
  }
  return result;
}

}  // namespace ablate
