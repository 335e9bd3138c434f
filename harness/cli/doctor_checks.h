#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/nvml.h"
#include "harness/runner/executor.h"

namespace ablate {

/// One thing that a run may need, as it is on this machine.
struct finding {
  enum class level { ok, warn, missing };

  std::string item;  ///< short stable name, as `doctor --require` takes it
  level found = level::ok;
  std::string detail;  ///< what was found, or what is wrong
  std::string remedy;  ///< one line; empty when ok
};

/// OK, WARN, MISSING
std::string_view to_string(finding::level);

/// What the checks look at: a test puts recorded answers of the libraries in its place.
struct machine {
  std::vector<std::filesystem::path> data_directories;
  std::vector<gpu_summary> gpus;  ///< that CUDA shows to this process
  std::string why_no_gpu;
  std::function<std::unique_ptr<nvml>(const std::string& device)> open_nvml;
};

machine this_machine(std::vector<std::filesystem::path> data_directories);

/// Looks at everything, always the same items in the same order. Never throws for something that is absent.
std::vector<finding> examine(const machine&);

/// Every item that examine looks at.
std::vector<std::string> doctor_items();

nlohmann::ordered_json to_json(const std::vector<finding>&);
std::string to_text(const std::vector<finding>&);

/// Whether the text of /proc/driver/nvidia/params restricts counters to administrators; nothing when it does
/// not say.
std::optional<bool> counters_are_restricted(std::string_view driver_params);

/// Whether the text of /proc/self/status shows the effective capability CAP_SYS_ADMIN.
bool has_sys_admin(std::string_view process_status);

}  // namespace ablate
