#include "harness/wrapped/wrapped_operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/text/bad_input.h"
#include "harness/device/chip.h"
#include "harness/device/kernel_resources.h"
#include "harness/registry/outside_code.h"
#include "harness/wrapped/bind_launch.h"

namespace ablate::wrapped {

namespace {

/// Throws as bind_launch does.
std::function<void(launcher&)> launching(const wrapped_launch& launch, const spans& arrays) {
  // Shared by all copies of the closure, so that the kernel is loaded once, by the first launch.
  const auto bound = std::make_shared<bound_launch>(bind_launch(launch, arrays));
  return [bound, kernel = launch.kernel](launcher& to) { find_launch_backend()->launch(to, kernel, *bound); };
}

/// A name in records is one kernel's, whatever the files that were wrapped before.
void make_symbols_unique(wrapped_file& in) {
  static std::set<std::string> taken;
  std::set<std::string> here;
  for (std::size_t i = 0; i < in.launches.size(); ++i) {
    wrapped_launch& launch = in.launches[i];
    if (taken.contains(launch.symbol))
      launch.symbol = fmt::format("{}@{}.{}", launch.kernel.entry, in.operation.name,
                                  in.operation.variants[i].facts.name);
    here.insert(launch.symbol);
  }
  taken.merge(here);
}

/// What compilers report of the program's own kernels, here read off machine code. It says nothing of spills:
/// where a kernel has no stack there are none, else they are unknown, since arrays may take the stack.
void register_resources(const wrapped_file& from) {
  static std::deque<std::string> names;
  static std::deque<std::vector<kernel_resources>> tables;
  std::vector<kernel_resources>& table = tables.emplace_back();
  for (const wrapped_launch& launch : from.launches)
    for (const auto& file : launch.kernel.files)
      for (const code_kernel& kernel : file->kernels) {
        if (kernel.entry != launch.kernel.entry || !kernel.resources) continue;
        const std::string& symbol = names.emplace_back(launch.symbol);
        const std::string& architecture = names.emplace_back(architecture_of(kernel.capability));
        // Of two files with code for one architecture the first is the one that is loaded.
        if (std::ranges::any_of(table, [&](const kernel_resources& known) {
              return known.kernel == symbol && known.architecture == architecture;
            }))
          continue;
        const code_resources& has = *kernel.resources;
        const std::optional<int> spills = has.stack_bytes > 0 ? std::nullopt : std::optional<int>(0);
        table.push_back(
            {symbol, architecture, has.registers, has.stack_bytes, spills, spills, has.static_shared_bytes});
      }
  register_kernel_resources(table);
}

}  // namespace

std::string add_wrapped(const std::filesystem::path& path) {
  wrapped_file read = read_wrapped(path);
  array_definition& of = read.operation;
  const std::string name = of.name;
  if (find_operation(name))
    throw bad_input(path.string(), "/operation",
                    fmt::format("this program already has an operation '{}'; expected another name", name));
  make_symbols_unique(read);
  for (std::size_t i = 0; i < read.launches.size(); ++i) {
    of.variants[i].facts.has_launch = find_launch_backend() != nullptr;
    of.variants[i].bind = [launch = read.launches[i]](const spans& arrays) {
      return launching(launch, arrays);
    };
  }
  register_resources(read);
  register_outside_code(name, {path.string(), read.hash});
  define_arrays(std::move(of));
  return name;
}

}  // namespace ablate::wrapped
