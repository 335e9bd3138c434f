#include "harness/cli/doctor_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/process/find_program.h"
#include "base/text/shell.h"
#include "harness/build_facts.h"
#include "harness/counters/cupti_api.h"
#include "harness/device/chip.h"
#include "harness/device/process_family.h"
#include "reports/plots/render.h"

namespace ablate {

namespace {

using level = finding::level;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return in ? std::string(std::istreambuf_iterator<char>(in), {}) : std::string();
}

finding program_check(const std::string& item, const std::vector<std::string>& names,
                      const std::string& serves, const std::string& package) {
  for (const std::string& name : names)
    if (const auto path = process::find_program(name)) return {item, level::ok, path->string(), ""};
  return {item, level::missing, "not in PATH: " + serves, "apt install " + package};
}

finding check_build(const machine&) {
  const build_facts& build = this_build();
  if (!build.cuda_compiler.empty())
    return {"build", level::ok,
            fmt::format("CUDA {}, machine code for {}", build.cuda_compiler, build.cuda_architectures), ""};
  return {"build", level::missing, "this program was built without CUDA",
          is_own_program() ? "build against an Ablate that was built with the CUDA Toolkit 12.6 or later"
                           : "install the CUDA Toolkit 12.6 or later and build the preset 'release'"};
}

/// Of a GPU without a profile; empty where it has one.
std::string what_cannot_be_said(const std::string& product, int compute_capability) {
  if (chip_of_product(product)) return "";
  if (const auto silicon = silicon_of(compute_capability))
    return fmt::format(
        "a {} board that `list` does not have: times, counters and measured ceilings are valid, but `plan` "
        "does not know its memory, L2, multiprocessors and bandwidth",
        *silicon);
  return fmt::format(
      "this program was not built for {}: times are of code compiled from PTX, and there are no counters by "
      "name, no occupancy and no plans",
      architecture_of(compute_capability));
}

finding check_gpu(const machine& here) {
  if (here.gpus.empty())
    return {"gpu", level::missing, here.why_no_gpu,
            "run on a machine with an A100, H100 or H200; `run` uses the host references here"};
  std::vector<std::string> names;
  std::string unsaid;
  for (const gpu_summary& gpu : here.gpus) {
    names.push_back(fmt::format("{}: {} ({})", gpu.index, gpu.name, gpu.uuid));
    if (unsaid.empty()) unsaid = what_cannot_be_said(gpu.name, gpu.compute_capability);
  }
  const std::string detail = fmt::format("{}", fmt::join(names, ", "));
  return {"gpu", unsaid.empty() ? level::ok : level::warn, detail, unsaid};
}

finding check_driver(const machine&) {
  const std::string version = text_of("/proc/driver/nvidia/version");
  if (!version.empty()) return {"driver", level::ok, version.substr(0, version.find('\n')), ""};
  return {"driver", level::missing, "no NVIDIA kernel driver (/proc/driver/nvidia/version)",
          "install the NVIDIA driver, or give the container access to the GPU"};
}

finding check_cupti(const machine&) {
  try {
    return {"cupti", level::ok, cupti_path(), ""};
  } catch (const counters_unavailable& e) {
    const std::string_view why = e.what();
    const std::size_t colon = why.find(": ");
    return {"cupti", level::missing, fmt::format("{}: no hardware counters", why.substr(0, colon)),
            std::string(why.substr(std::min(colon + 2, why.size())))};
  }
}

finding check_profiling(const machine&) {
  const auto restricted = counters_are_restricted(text_of("/proc/driver/nvidia/params"));
  if (!restricted)
    return {"profiling", level::missing,
            "the driver does not say who may read counters (/proc/driver/nvidia/params)",
            "install the NVIDIA driver first"};
  if (!*restricted) return {"profiling", level::ok, "counters are open to all users", ""};
  if (has_sys_admin(text_of("/proc/self/status")))
    return {"profiling", level::ok, "counters are restricted, but this process has CAP_SYS_ADMIN", ""};
  return {"profiling", level::missing, "the driver restricts counters to administrators; timing works",
          "load the driver with NVreg_RestrictProfilingToAdminUsers=0, or run with CAP_SYS_ADMIN"};
}

/// NVML counts all GPUs of the machine from 0, whatever CUDA_VISIBLE_DEVICES says: that of CUDA's first one
/// is found by its UUID.
std::unique_ptr<nvml> open_nvml(const machine& here) {
  return here.open_nvml(here.gpus.empty() ? "0" : here.gpus.front().uuid);
}

finding check_nvml(const machine& here) {
  const std::unique_ptr<nvml> opened = open_nvml(here);
  const nvml& gpu = *opened;
  if (!gpu.available())
    return {"nvml", level::missing, gpu.why_not(), "install the NVIDIA driver with libnvidia-ml.so.1"};
  const nvml_facts facts = gpu.facts();
  return {"nvml", level::ok, fmt::format("{}, driver {}", facts.name, facts.driver), ""};
}

finding check_clocks(const machine& here) {
  const std::unique_ptr<nvml> opened = open_nvml(here);
  const nvml& gpu = *opened;
  const device_state state = gpu.state();
  if (!state.sm_clock_mhz || !state.event_reasons)
    return {"clocks", level::missing, gpu.available() ? "NVML reports no clocks" : gpu.why_not(),
            "install the NVIDIA driver with libnvidia-ml.so.1"};
  std::vector<std::string> reasons = *state.event_reasons;
  std::erase(reasons, "gpu_idle");
  const std::string detail =
      fmt::format("{:.0f} MHz{}", double{*state.sm_clock_mhz},
                  state.temperature_c ? fmt::format(", {:.0f} °C", double{*state.temperature_c}) : "");
  if (reasons.empty()) return {"clocks", level::ok, detail, ""};
  return {"clocks", level::warn, fmt::format("{}, limited by {}", detail, fmt::join(reasons, ", ")),
          "let the GPU cool down and reset its clocks (nvidia-smi -rgc), or compare only "
          "runs with the same reasons"};
}

finding check_processes(const machine& here) {
  const std::unique_ptr<nvml> opened = open_nvml(here);
  const nvml& gpu = *opened;
  auto processes = gpu.processes();
  if (!processes)
    return {"processes", level::missing, gpu.available() ? "NVML does not list processes" : gpu.why_not(),
            "install the NVIDIA driver with libnvidia-ml.so.1"};
  const std::set<unsigned> family = process_family(static_cast<unsigned>(getpid()));
  std::erase_if(*processes, [&](const gpu_process& p) { return family.contains(p.pid); });
  if (processes->empty()) return {"processes", level::ok, "no other process uses the first GPU", ""};
  std::vector<unsigned> pids;
  for (const gpu_process& p : *processes) pids.push_back(p.pid);
  return {"processes", level::warn,
          fmt::format("other processes use the first GPU: {}", fmt::join(pids, ", ")),
          "wait until they end, or choose another GPU with --device"};
}

finding check_node(const machine&) {
  return program_check("node", {"node"}, "reports have no SVG plots", "nodejs");
}
finding check_npm(const machine&) {
  return program_check("npm", {"npm"}, "the plotting packages cannot be installed", "npm");
}
finding check_vega(const machine&) {
  // Where reports look for it.
  const fs::path folder = reports::renderer_directory(), found = folder / "node_modules" / "vega";
  if (std::error_code error; fs::exists(found, error)) return {"vega", level::ok, found.string(), ""};
  return {"vega", level::missing,
          fmt::format("{} is missing: reports have no plots", (folder / "node_modules").string()),
          "npm ci --prefix " + reports::shell_word(folder.string())};
}
finding check_ccache(const machine&) {
  return program_check("ccache", {"ccache"}, "builds are slower", "ccache");
}
finding check_clang_format(const machine&) {
  return program_check("clang-format", {"clang-format-14", "clang-format"}, "formatting is not checked",
                       "clang-format-14");
}
finding check_compare(const machine&) {
  const fs::path packaged = "/usr/share/benchmark/compare.py";
  std::error_code error;
  if (fs::exists(packaged, error)) return {"compare.py", level::ok, packaged.string(), ""};
  return program_check("compare.py", {"compare.py"},
                       "records cannot be compared with Google Benchmark's tool", "libbenchmark-tools");
}

finding check_data(const machine& here) {
  const std::vector<fs::path>& directories = here.data_directories;
  const std::string remedy = "give --data DIR or set ABLATE_DATA to the directories of your scans";
  if (directories.empty())
    return {"data", level::missing, "no data directory: cases on recorded scans end as input_missing",
            remedy};
  std::vector<std::string> present;
  for (const fs::path& directory : directories) {
    std::error_code error;
    if (!fs::is_directory(directory, error))
      return {"data", level::warn, fmt::format("'{}' is not a directory", directory.string()), remedy};
    present.push_back(directory.string());
  }
  return {"data", level::ok, fmt::format("{}", fmt::join(present, ", ")), ""};
}

using check = finding (*)(const machine&);
constexpr std::array<std::pair<const char*, check>, 15> checks = {{{"build", check_build},
                                                                   {"gpu", check_gpu},
                                                                   {"driver", check_driver},
                                                                   {"nvml", check_nvml},
                                                                   {"clocks", check_clocks},
                                                                   {"processes", check_processes},
                                                                   {"cupti", check_cupti},
                                                                   {"profiling", check_profiling},
                                                                   {"data", check_data},
                                                                   {"node", check_node},
                                                                   {"npm", check_npm},
                                                                   {"vega", check_vega},
                                                                   {"ccache", check_ccache},
                                                                   {"clang-format", check_clang_format},
                                                                   {"compare.py", check_compare}}};

}  // namespace

std::vector<std::string> doctor_items() {
  std::vector<std::string> items;
  for (const auto& [item, look] : checks) items.emplace_back(item);
  return items;
}

machine this_machine(std::vector<fs::path> data_directories) {
  machine here{.data_directories = std::move(data_directories),
               .gpus = {},
               .why_no_gpu = "this program was built without CUDA",
               .open_nvml = [](const std::string& device) { return std::make_unique<nvml>(device); }};
  if (const cuda_backend* backend = find_cuda_backend())
    here.gpus = backend->gpus(asked_in::a_child, here.why_no_gpu);
  return here;
}

std::vector<finding> examine(const machine& here) {
  std::vector<finding> findings;
  for (const auto& [item, look] : checks) findings.push_back(look(here));
  return findings;
}

}  // namespace ablate
