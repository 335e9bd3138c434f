#include "harness/cli/requested_launches.h"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <map>

#include "base/text/bad_input.h"
#include "base/text/sha256.h"
#include "base/text/text_file.h"
#include "harness/build_facts.h"
#include "harness/device/kernel_facts.h"
#include "harness/inputs/input_errors.h"
#include "harness/registry/case_id.h"
#include "reports/gate/machine_code.h"

namespace ablate {
namespace {

using gate::requested_case;
using gate::requested_launch;

std::array<long, 3> extent_of(const extent3& e) { return {e.x, e.y, e.z}; }

/// The machine code of this program that a chip would run.
class code_on {
 public:
  explicit code_on(const chip& on) {
    const gate::machine_code all =
        gate::machine_code_of(reports::read_text_file(std::filesystem::read_symlink("/proc/self/exe")));
    for (const auto& [key, code] : all)
      if (key.second == on.architecture) kernels_[key.first] = code;
    // Without machine code for it, the chip compiles PTX.
    for (const auto& [key, code] : all)
      if (key.second.starts_with("compute_")) kernels_.try_emplace(key.first, code);
    std::vector<std::string> library;
    for (const auto& [kernel, code] : kernels_)
      if (kernel.find("3cub") != std::string::npos || kernel.find("6thrust") != std::string::npos)
        library.push_back(code.hash);
    library_ = gate::joined_hash(library);
  }

  requested_launch launch(const kernel_launch& of) const {
    const bool is_library = of.grid.x == 0;
    const std::string symbol = of.symbol.empty() ? kernel_symbol(of.function) : of.symbol;
    requested_launch out;
    out.kernel = demangled(symbol);
    out.grid = extent_of(of.grid);
    out.block = extent_of(of.block);
    out.dynamic_shared_bytes = static_cast<long>(of.dynamic_shared_bytes);
    out.cluster_blocks = of.cluster_blocks;
    out.is_cooperative = of.cooperative;
    out.overlaps_previous = of.overlaps_previous;
    if (is_library) out.code = library_;
    if (const auto found = kernels_.find(gate::without_file(symbol)); found != kernels_.end()) {
      out.code = found->second.hash;
      out.arguments = arguments_of(of, found->second.parameter_bytes);
    }
    return out;
  }

 private:
  static std::string arguments_of(const kernel_launch& of, const std::vector<std::size_t>& bytes) {
    if (!of.arguments) return "";
    std::string all;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      for (std::size_t at = 0; at < bytes[i]; ++at)
        all += fmt::format("{:02x}", static_cast<const unsigned char*>(of.arguments[i])[at]);
    return all;
  }

  std::map<std::string, gate::kernel_machine_code> kernels_;
  std::string library_;
};

/// Overwrites what earlier calls left on the stack.
[[gnu::noinline]] void fill_stack(unsigned char with) {
  constexpr std::size_t deepest = 1 << 16;
  unsigned char below[deepest];
  std::memset(below, with, sizeof below);
  asm volatile("" : : "r"(below) : "memory");  // as if they were read: the stores stay
}

/// An address for each buffer that the variant uses. Nothing is there: a describing launcher hands them on.
std::vector<void*> stand_ins(const suite_case& c, const input_library& inputs) {
  constexpr std::uintptr_t apart = std::uintptr_t{1} << 40;
  std::vector<void*> out;
  for (const buffer& b : c.operation->buffers_of(c.variant, c.axes, inputs))
    out.push_back(b.bytes > 0 ? reinterpret_cast<void*>((out.size() + 1) * apart) : nullptr);
  return out;
}

void describe(const suite_case& c, const chip& on, const input_library& inputs, const code_on& code,
              unsigned char fill, requested_case& to) {
  const std::vector<void*> buffers = stand_ins(c, inputs);
  launcher describing = launcher::describing(on.limits());
  launch_listener listener;
  listener.function::operator=
      ([&](const kernel_launch& launch) { to.launches.push_back(code.launch(launch)); });
  describing.announce_to(listener);
  fill_stack(fill);
  const auto ahead = c.operation->bind_ahead(*c.variant, c.axes, inputs, buffers);
  fill_stack(fill);
  const auto timed = c.operation->bind(*c.variant, c.axes, inputs, buffers);
  fill_stack(fill);
  if (ahead) ahead(describing);
  fill_stack(fill);
  timed(describing);
  to.is_timed_by_host = c.operation->clock(c.axes, inputs) == region_clock::host;
}

/// Hashes of inputs, each made once for all variants that take it.
class input_hashes {
 public:
  const std::string& of(const suite_case& c, const input_library& inputs) {
    const auto [at, is_new] = known_.try_emplace(case_id(c.operation->name, "", c.axes, ""));
    if (is_new) at->second = c.operation->prepare(c.axes, inputs).input.value("hash", std::string());
    return at->second;
  }

 private:
  std::map<std::string, std::string> known_;
};

}  // namespace

gate::program_launches requested_launches(const suite& from, const chip& on, const input_library& inputs,
                                          const std::string& filter, bool with_inputs, unsigned char fill) {
  const build_facts& build = this_build();
  if (build.cuda_compiler.empty())
    throw bad_input("static", "", "this build has no machine code of kernels; expected one with CUDA");
  gate::program_launches out{std::string(build.commit),
                             std::string(build.source_hash),
                             std::string(build.cuda_compiler),
                             on.name,
                             from.hash,
                             {}};
  const code_on code(on);
  input_hashes hashes;
  for (const suite_case& c :
       expand(from, {.compute_capability = on.compute_capability}, inputs, filter, filtered::all)) {
    if (!c.ceiling.empty()) continue;
    requested_case described;
    described.id = c.id;
    described.operation = c.operation->name;
    described.variant = c.variant_name();
    if (c.not_applicable) described.why_not_applicable = *c.not_applicable;
    if (!c.not_applicable && c.variant) try {
        describe(c, on, inputs, code, fill, described);
        if (with_inputs) described.input = hashes.of(c, inputs);
      } catch (const input_missing& missing) {
        described.why_unknown = missing.what();
      } catch (const input_unfit& unfit) {
        described.why_not_applicable = unfit.what();
      } catch (const std::exception& failed) {
        described.why_unknown = failed.what();
      }
    out.cases.push_back(std::move(described));
  }
  return out;
}

}  // namespace ablate
