#include "reports/gate/stale.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/record/facts.h"

namespace ablate::gate {
namespace {

bool is_own(std::string_view kernel) {
  constexpr std::string_view result = "void ";
  if (kernel.starts_with(result)) kernel.remove_prefix(result.size());
  return kernel.starts_with("ablate::");
}

bool has_resources(const compiled_kernel& kernel, const counts& resources) {
  const auto equals = [&](const char* quantity, long value) {
    const auto found = resources.find(quantity);
    return value == (found == resources.end() ? 0 : found->second);
  };
  return equals("registers", kernel.registers) && equals("stack_bytes", kernel.stack_bytes) &&
         equals("static_shared_bytes", kernel.static_shared_bytes) &&
         equals("spill_bytes", kernel.spill_store_bytes.value_or(0) + kernel.spill_load_bytes.value_or(0));
}

}  // namespace

std::string kernel_states::text() const {
  return fmt::format(
      "of {} kernels {} have the same resources as in this tree, {} are changed, {} no longer exist",
      same + changed + gone, same, changed, gone);
}

kernel_states states_of_kernels(const record& r, const static_facts_file& of_tree) {
  kernel_states out;
  const std::string architecture = reports::fact(r.device, "architecture").value_or("");
  for (const auto& [name, builds] : r.kernels) {
    const auto build =
        std::find_if(builds.begin(), builds.end(), [&](const auto& of) { return of.first == architecture; });
    if (build == builds.end() || !is_own(name)) continue;
    const auto kernel = of_tree.kernels.find(name);
    if (kernel == of_tree.kernels.end()) {
      ++out.gone;
      continue;
    }
    const auto code = kernel->second.code.find(architecture);
    const bool is_same =
        code != kernel->second.code.end() && has_resources(build->second, code->second.resources);
    ++(is_same ? out.same : out.changed);
  }
  return out;
}

}  // namespace ablate::gate
