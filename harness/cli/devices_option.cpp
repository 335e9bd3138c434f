#include "harness/cli/devices_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text/bad_input.h"
#include "harness/build_facts.h"

namespace ablate {

namespace {

[[noreturn]] void refuse_devices(const std::string& what) { throw bad_input("--devices", "", what); }

std::optional<int> number_in(const std::string& word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (value < 0 || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

int gpu_named(const std::string& word, const std::vector<gpu_summary>& gpus, const std::string& why_none) {
  const std::optional<int> number = number_in(word);
  if (!number && !word.starts_with("GPU-") && !word.starts_with("MIG-"))
    refuse_devices(
        fmt::format("'{}' is not a device; expected all, numbers or UUIDs of GPUs, or host", word));
  if (gpus.empty()) refuse_devices(fmt::format("there is no GPU ({}); expected host", why_none));
  std::vector<int> found;
  for (const gpu_summary& gpu : gpus)
    if (number ? gpu.index == *number : gpu.uuid.starts_with(word)) found.push_back(gpu.index);
  if (found.empty())
    refuse_devices(
        number ? fmt::format("there is no GPU {}; expected 0 to {}", word, gpus.size() - 1)
               : fmt::format("there is no GPU {}; `{} doctor` lists them", word, this_build().program));
  if (found.size() > 1) refuse_devices(fmt::format("'{}' matches the UUIDs of {} GPUs", word, found.size()));
  return found.front();
}

}  // namespace

std::vector<gpu_summary> find_gpus(std::string& why_none) {
  const cuda_backend* backend = find_cuda_backend();
  if (!backend) {
    why_none = "this program was built without CUDA";
    return {};
  }
  return backend->gpus(asked_in::a_child, why_none);
}

chosen_devices devices_of(const std::string& text, const std::vector<gpu_summary>& gpus,
                          const std::string& why_none) {
  chosen_devices out;
  if (text == "all") {
    for (const gpu_summary& gpu : gpus) out.gpus.push_back(gpu.index);
    out.host_workers = gpus.empty() ? 1 : 0;
    return out;
  }
  for (std::size_t at = 0; !text.empty() && at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (word == "host") {
      ++out.host_workers;
      continue;
    }
    const int gpu = gpu_named(word, gpus, why_none);
    if (std::find(out.gpus.begin(), out.gpus.end(), gpu) != out.gpus.end())
      refuse_devices(fmt::format("expected each GPU once, found GPU {} twice", gpu));
    out.gpus.push_back(gpu);
  }
  if (out.gpus.empty() && out.host_workers == 0)
    refuse_devices("expected all, numbers or UUIDs of GPUs, or host");
  if (!out.gpus.empty() && out.host_workers > 0)
    refuse_devices("expected GPUs or the host, found both: no record has both");
  return out;
}

int device_index(const std::string& text, const std::vector<gpu_summary>& gpus, const std::string& why_none) {
  int index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0)
    throw bad_input("--device", "",
                    fmt::format("'{}' is not a device; expected the number of a GPU, or 'host'", text));
  for (const gpu_summary& gpu : gpus)
    if (gpu.index == index) return index;
  throw bad_input(
      "--device", "",
      gpus.empty() ? fmt::format("there is no GPU ({}); expected 'host'", why_none)
                   : fmt::format("there is no GPU {}; expected 0 to {}, or 'host'", index, gpus.size() - 1));
}

}  // namespace ablate
