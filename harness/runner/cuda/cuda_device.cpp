#include "harness/runner/cuda_device.cuh"

#include "harness/device/chip.h"
#include "harness/device/cuda_check.cuh"
#include "harness/device/gpu_names.h"

namespace ablate {

namespace {

cudaDeviceProp select(int index) {
  ABLATE_CUDA_CHECK(cudaSetDevice(index));
  cudaDeviceProp properties;
  ABLATE_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
  return properties;
}

}  // namespace

cuda_device::cuda_device(int device_index)
    : index(device_index),
      properties(select(device_index)),
      limits{properties.multiProcessorCount, properties.sharedMemPerBlockOptin},
      flush(properties.l2CacheSize),
      nvml(uuid_text(properties.uuid.bytes, properties.name)),
      power_cap_w(nvml.facts().power_cap_w) {}

std::string cuda_device::silicon() const { return silicon_of(capability()).value_or(""); }

nlohmann::ordered_json cuda_device::facts() const {
  const chip* profile = chip_of_product(properties.name);
  int driver = 0, runtime = 0;
  ABLATE_CUDA_CHECK(cudaDriverGetVersion(&driver));
  ABLATE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  const nvml_facts by_nvml = nvml.facts();
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  return {
      {"kind", "gpu"},
      {"name", properties.name},
      {"chip", profile ? nlohmann::ordered_json(profile->name) : nlohmann::ordered_json()},
      {"silicon", or_null(silicon_of(capability()))},
      {"uuid", uuid_text(properties.uuid.bytes, properties.name)},
      {"compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
      {"architecture", architecture_of(capability())},
      {"multiprocessors", properties.multiProcessorCount},
      {"l2_bytes", properties.l2CacheSize},
      {"memory_bytes", properties.totalGlobalMem},
      {"driver", by_nvml.driver.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(by_nvml.driver)},
      {"cuda_driver", version_text(driver)},
      {"cuda_runtime", version_text(runtime)},
      {"ecc", or_null(by_nvml.ecc)},
      {"mig", or_null(by_nvml.mig)},
      {"power_cap_w", or_null(by_nvml.power_cap_w)}};
}

std::optional<device_state> cuda_device::state() const {
  return nvml.available() ? std::optional(nvml.state()) : std::nullopt;
}

}  // namespace ablate
