#include "harness/cli/program_facts.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/process/child_process.h"
#include "base/process/find_program.h"
#include "base/text/bad_input.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "harness/build_facts.h"
#include "harness/cli/catalog.h"
#include "harness/device/chip.h"
#include "harness/device/kernel_facts.h"
#include "harness/device/occupancy.h"
#include "harness/registry/registry.h"
#include "reports/gate/fat_binaries.h"
#include "reports/gate/sass.h"

namespace ablate {

namespace {

using gate::static_facts_file;

/// The kernels of this program by mangled name and architecture.
using resources_by_name = std::map<std::pair<std::string, std::string>, const kernel_resources*>;

/// Whether a kernel was written for an operation: libraries bring others along. A program outside of Ablate's
/// tree has namespaces of its own.
bool is_own(const std::string& demangled_name) {
  const std::string name = reports::short_kernel_name(demangled_name);
  if (!is_own_program()) return name.starts_with("ablate::");
  return !name.starts_with("cub::") && !name.starts_with("thrust::");
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

/// Enters the counts of the program's kernels. A kernel found in several parts gets the first part's counts.
void enter_sass(static_facts_file& to, gate::sass_counter& counter) {
  for (const auto& [name, counted] : counter.kernels()) {
    const auto kernel = to.kernels.find(demangled(name.first));
    if (kernel == to.kernels.end()) continue;
    const auto code = kernel->second.code.find(name.second);
    if (code == kernel->second.code.end()) continue;
    if (!code->second.sass) code->second.sass = counted;
    to.has_sass = true;
  }
}

/// A folder of this process's own, gone with the object.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ablate_sass_XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error(name + ": cannot create a temporary folder");
    path_ = name;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

static_facts_file program_facts() {
  static_facts_file out;
  out.cuda_compiler = this_build().cuda_compiler;
  resources_by_name known;
  for (const kernel_resources& r : all_kernel_resources()) {
    known[{std::string(r.kernel), std::string(r.architecture)}] = &r;
    const std::string name = demangled(std::string(r.kernel));
    // A kernel from a file was compiled elsewhere; what is not known of it cannot be held against a baseline.
    if (!is_own(name) || !r.spill_store_bytes || !r.spill_load_bytes) continue;
    out.kernels[name].code[std::string(r.architecture)].resources = {
        {"registers", r.registers},
        {"spill_bytes", *r.spill_store_bytes + *r.spill_load_bytes},
        {"stack_bytes", r.stack_bytes},
        {"static_shared_bytes", r.static_shared_bytes}};
  }
  if (out.kernels.empty())
    throw bad_input("static", "",
                    is_own_program()
                        ? "this build has no machine code of kernels; expected one with CUDA"
                        : "this build has no machine code of kernels; expected one of the preset 'release'");
  for (const auto& of : operations())
    for (const variant_facts& v : of->variants)
      for (const chip& on : chips())
        if (v.has_launch && v.minimum_compute_capability <= on.compute_capability)
          add_launches(out, known, *of, v, on);
  return out;
}

std::optional<std::filesystem::path> find_cuobjdump() {
  if (auto found = process::find_program("cuobjdump")) return found;
  const std::filesystem::path usual = "/usr/local/cuda/bin/cuobjdump";
  if (std::filesystem::exists(usual)) return usual;
  return std::nullopt;
}

void count_sass(static_facts_file& to, const std::filesystem::path& cuobjdump,
                const std::filesystem::path& program) {
  const std::string bytes = reports::read_text_file(program);
  const std::vector<std::string_view> parts = gate::fat_binaries(bytes);
  const scratch_folder folder;
  std::vector<gate::sass_counter> counters(parts.size());
  std::vector<std::string> failures(parts.size());
  std::atomic<std::size_t> next = 0;
  const auto disassemble = [&] {
    for (std::size_t i = next++; i < parts.size(); i = next++) try {
        const std::filesystem::path part = folder.path() / (std::to_string(i) + ".fatbin");
        std::ofstream(part, std::ios::binary)
            .write(parts[i].data(), static_cast<std::streamsize>(parts[i].size()));
        process::child_process disassembler(
            {.argv = {cuobjdump.string(), "-sass", part.string()},
             .on_output = [&](std::string_view text) { counters[i].feed(text); }});
        if (const process::ending ended = disassembler.wait(); ended.exit_code != 0)
          failures[i] = ended.text();
        std::filesystem::remove(part);
      } catch (const std::exception& e) {
        failures[i] = e.what();
      }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(disassemble);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures)
    if (!failure.empty()) throw std::runtime_error(fmt::format("{} -sass: {}", cuobjdump.string(), failure));
  for (gate::sass_counter& counter : counters) enter_sass(to, counter);
  if (!to.has_sass)
    throw std::runtime_error(
        fmt::format("{} -sass names no kernel of {}", cuobjdump.string(), program.string()));
}

void count_sass(static_facts_file& to, const std::filesystem::path& listing) {
  std::ifstream in(listing, std::ios::binary);
  if (!in) throw bad_input(listing.string(), "", "cannot be opened");
  gate::sass_counter counter;
  std::string piece(1 << 16, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0)
    counter.feed({piece.data(), static_cast<std::size_t>(in.gcount())});
  enter_sass(to, counter);
  if (!to.has_sass)
    throw bad_input(
        listing.string(), "",
        "expected the output of `cuobjdump -sass` for this program; it names none of its kernels");
}

}  // namespace ablate
