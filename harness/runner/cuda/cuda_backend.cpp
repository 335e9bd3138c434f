#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/process/child_process.h"
#include "harness/counters/range_sampler.cuh"
#include "harness/device/cuda_check.cuh"
#include "harness/device/gpu_names.h"
#include "harness/device/nvml.h"
#include "harness/runner/cuda_executor.cuh"

namespace ablate {

namespace {

/// The driver's own version if NVML reports it, otherwise the newest CUDA version it supports.
std::string driver_version(const std::string& uuid) {
  if (const std::string own = nvml(uuid).facts().driver; !own.empty()) return own;
  int cuda = 0;
  if (cudaDriverGetVersion(&cuda) != cudaSuccess) return "unknown";
  return "CUDA " + version_text(cuda);
}

/// As sysfs names it.
std::string pci_bus_id(const cudaDeviceProp& of) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", of.pciDomainID, of.pciBusID, of.pciDeviceID);
  return text;
}

nlohmann::json ask_cuda() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return {{"why_none", cudaGetErrorString(status)}};
  nlohmann::json gpus = nlohmann::json::array();
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    const std::string uuid = uuid_text(properties.uuid.bytes, properties.name);
    gpus.push_back({{"index", i},
                    {"name", properties.name},
                    {"cc", 10 * properties.major + properties.minor},
                    {"uuid", uuid},
                    {"pci_bus_id", pci_bus_id(properties)},
                    {"driver", driver_version(uuid)}});
  }
  return {{"why_none", gpus.empty() ? "CUDA counts no device" : ""}, {"gpus", gpus}};
}

nlohmann::json not_asked(const std::string& reason) {
  return {{"why_none", "CUDA could not be asked: " + reason}};
}

nlohmann::json ask_cuda_in_child() {
  int ends[2];
  if (pipe(ends) != 0) return not_asked(std::string("pipe: ") + std::strerror(errno));
  std::optional<process::child_process> child;
  std::string why_no_child;
  try {
    child.emplace([&] {
      const std::string text = ask_cuda().dump();
      return write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1;
    });
  } catch (const std::system_error& failure) {
    why_no_child = failure.what();
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t size; (size = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  close(ends[0]);
  if (!child) return not_asked(why_no_child);
  const process::ending ended = child->wait();
  const nlohmann::json answer = nlohmann::json::parse(text, nullptr, false);
  if (answer.is_discarded()) return not_asked("the process that asked " + ended.text());
  return answer;
}

std::vector<gpu_summary> gpus(asked_in in, std::string& why_none) {
  // Only once: it initializes CUDA, which takes a quarter of a second.
  static const nlohmann::json answer = in == asked_in::a_child ? ask_cuda_in_child() : ask_cuda();
  why_none = answer.at("why_none").get<std::string>();
  std::vector<gpu_summary> all;
  for (const auto& gpu : answer.value("gpus", nlohmann::json::array()))
    all.push_back({gpu.at("index").get<int>(), gpu.at("name").get<std::string>(), gpu.at("cc").get<int>(),
                   gpu.at("uuid").get<std::string>(), gpu.at("driver").get<std::string>(),
                   gpu.at("pci_bus_id").get<std::string>()});
  return all;
}

std::unique_ptr<device_sampler> make_sampler(int index) {
  ABLATE_CUDA_CHECK(cudaSetDevice(index));
  auto sampler = std::make_unique<range_sampler>(index);
  if (sampler->why_not()) throw counters_unavailable(*sampler->why_not());
  return sampler;
}

}  // namespace

const bool cuda_backend_registered = register_cuda_backend({gpus, make_cuda_executor, make_sampler});

}  // namespace ablate
