#include "harness/cli/program_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "harness/build_facts.h"
#include "harness/cli/catalog.h"
#include "harness/device/chip.h"
#include "harness/device/kernel_facts.h"
#include "harness/device/occupancy.h"
#include "harness/registry/registry.h"
#include "reports/bad_input.h"
#include "reports/gate/sass.h"
#include "reports/process.h"
#include "reports/text.h"

namespace ablate {

namespace {

using gate::static_facts_file;

/// The kernels of this program by mangled name and architecture.
using resources_by_name = std::map<std::pair<std::string, std::string>, const kernel_resources*>;

bool is_own(const std::string& demangled_name) {
  return reports::short_kernel_name(demangled_name).starts_with("ablate::");
}

void add_launches(static_facts_file& to, const resources_by_name& known, const operation& of,
                  const variant_facts& v, const chip& on) {
  const std::string variant = of.name + "/" + v.name;
  for (const kernel_launch& launch : described_launches(of, v, on)) {
    const std::string symbol = launch.symbol.empty() ? kernel_symbol(launch.function) : launch.symbol;
    const auto resources = known.find({symbol, on.architecture});
    if (resources == known.end()) continue;
    const auto kernel = to.kernels.find(demangled(symbol));
    if (kernel == to.kernels.end()) continue;
    const auto occupancy = theoretical_occupancy(
        on, {static_cast<int>(launch.block.x * launch.block.y * launch.block.z), resources->second->registers,
             static_cast<std::size_t>(resources->second->static_shared_bytes), launch.dynamic_shared_bytes});
    if (!occupancy) continue;
    const gate::chip_launch here{static_cast<long>(launch.dynamic_shared_bytes), *occupancy};
    const auto [entry, is_new] = kernel->second.launched_by.try_emplace({variant, on.name}, here);
    if (is_new) continue;
    entry->second.dynamic_shared_bytes =
        std::max(entry->second.dynamic_shared_bytes, here.dynamic_shared_bytes);
    entry->second.occupancy = std::min(entry->second.occupancy, here.occupancy);
  }
}

/// Enters what was counted; false where none of the kernels is in it.
bool enter_sass(static_facts_file& to, gate::sass_counter& counter) {
  bool found = false;
  for (const auto& [name, counted] : counter.kernels()) {
    const auto kernel = to.kernels.find(demangled(name.first));
    if (kernel == to.kernels.end()) continue;
    const auto code = kernel->second.code.find(name.second);
    if (code == kernel->second.code.end()) continue;
    code->second.sass = counted;
    found = true;
  }
  to.has_sass = found;
  return found;
}

}  // namespace

static_facts_file program_facts() {
  static_facts_file out;
  out.cuda_compiler = this_build().cuda_compiler;
  resources_by_name known;
  for (const kernel_resources& r : all_kernel_resources()) {
    known[{std::string(r.kernel), std::string(r.architecture)}] = &r;
    const std::string name = demangled(std::string(r.kernel));
    if (!is_own(name)) continue;
    out.kernels[name].code[std::string(r.architecture)].resources = {
        {"registers", r.registers},
        {"spill_bytes", r.spill_store_bytes + r.spill_load_bytes},
        {"stack_bytes", r.stack_bytes},
        {"static_shared_bytes", r.static_shared_bytes}};
  }
  if (out.kernels.empty())
    throw bad_input("ablate", "",
                    "this build holds no machine code of kernels; expected one of the preset 'release'");
  for (const auto& of : operations())
    for (const variant_facts& v : of->variants)
      for (const chip& on : chips())
        if (v.has_launch && v.minimum_compute_capability <= on.compute_capability)
          add_launches(out, known, *of, v, on);
  return out;
}

std::optional<std::filesystem::path> find_cuobjdump() {
  if (auto found = reports::find_program("cuobjdump")) return found;
  const std::filesystem::path usual = "/usr/local/cuda/bin/cuobjdump";
  if (std::filesystem::exists(usual)) return usual;
  return std::nullopt;
}

void count_sass(static_facts_file& to, const std::filesystem::path& cuobjdump,
                const std::filesystem::path& program) {
  gate::sass_counter counter;
  const int exit_code = reports::run_process({cuobjdump.string(), "-sass", program.string()},
                                             [&](std::string_view said) { counter.feed(said); });
  if (exit_code != 0 || !enter_sass(to, counter))
    throw std::runtime_error(fmt::format("{} -sass {}: exit code {}, and kernels were {}found",
                                         cuobjdump.string(), program.string(), exit_code,
                                         to.has_sass ? "" : "not "));
}

void count_sass(static_facts_file& to, const std::filesystem::path& listing) {
  std::ifstream in(listing, std::ios::binary);
  if (!in) throw bad_input(listing.string(), "", "cannot be opened");
  gate::sass_counter counter;
  std::string piece(1 << 16, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
    counter.feed({piece.data(), static_cast<std::size_t>(in.gcount())});
  if (!enter_sass(to, counter))
    throw bad_input(listing.string(), "",
                    "expected what `cuobjdump -sass` prints of this program; it names none of its kernels");
}

}  // namespace ablate
