#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/cuda_check.cuh"
#include "harness/wrapped/bind_launch.h"
#include "kernels/common/driver_function.cuh"

namespace ablate::wrapped {

namespace {

std::string text_of(CUresult status) {
  static const auto error_name =
      find_driver_function<CUresult(CUresult, const char**)>("cuGetErrorName", 12000);
  const char* name = nullptr;
  if (error_name && error_name(status, &name) == CUDA_SUCCESS && name) return name;
  return "error " + std::to_string(static_cast<int>(status));
}

int capability_of_gpu() {
  int device = 0, major = 0, minor = 0;
  ABLATE_CUDA_CHECK(cudaGetDevice(&device));
  ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  ABLATE_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

/// Machine code runs on GPUs of its major version from its minor one on, PTX on all from its own on.
bool runs_on(const code_kernel& kernel, code_kind kind, int capability) {
  if (kernel.capability > capability) return false;
  return kind == code_kind::ptx || kernel.capability / 10 == capability / 10;
}

/// Whether the file may have code of the kernel for this GPU: what is compressed only the driver knows.
bool may_hold(const kernel_code& file, const std::string& entry, int capability) {
  return file.has_unread || std::ranges::any_of(file.kernels, [&](const code_kernel& kernel) {
           return kernel.entry == entry && runs_on(kernel, file.kind, capability);
         });
}

/// Machine code for just this GPU before what the driver has to translate.
const kernel_code& file_for(const loadable_kernel& wanted, int capability) {
  const kernel_code* best = nullptr;
  for (const auto& file : wanted.files)
    if (may_hold(*file, wanted.entry, capability) && (!best || best->kind == code_kind::ptx))
      best = file.get();
  if (!best)
    throw std::runtime_error("no file has code of '" + wanted.entry + "' for compute capability " +
                             std::to_string(capability / 10) + "." + std::to_string(capability % 10));
  return *best;
}

CUmodule load_module(const kernel_code& file) {
  static const auto load = find_driver_function<CUresult(CUmodule*, const void*)>("cuModuleLoadData", 12000);
  // The primary context, which the module becomes a part of, begins with the first call that needs it.
  ABLATE_CUDA_CHECK(cudaFree(nullptr));
  CUmodule made = nullptr;
  const CUresult status = load ? load(&made, file.bytes.c_str()) : CUDA_ERROR_NOT_FOUND;
  if (status != CUDA_SUCCESS)
    throw std::runtime_error(file.path.string() + " cannot be loaded: " + text_of(status));
  return made;
}

/// Nothing where the driver is older than CUDA 12.4, which tells them first.
std::optional<std::vector<std::size_t>> parameters_of(CUfunction function) {
  static const auto parameter_info =
      find_driver_function<CUresult(CUfunction, std::size_t, std::size_t*, std::size_t*)>(
          "cuFuncGetParamInfo", 12040);
  if (!parameter_info) return std::nullopt;
  std::vector<std::size_t> out;
  std::size_t offset = 0, bytes = 0;
  while (parameter_info(function, out.size(), &offset, &bytes) == CUDA_SUCCESS) out.push_back(bytes);
  return out;
}

CUfunction get_function(const kernel_code& file, const std::string& entry, CUmodule from) {
  static const auto get =
      find_driver_function<CUresult(CUfunction*, CUmodule, const char*)>("cuModuleGetFunction", 12000);
  CUfunction function = nullptr;
  const CUresult status = get ? get(&function, from, entry.c_str()) : CUDA_ERROR_NOT_FOUND;
  if (status != CUDA_SUCCESS)
    throw std::runtime_error(file.path.string() + " has no kernel '" + entry +
                             "' for this GPU: " + text_of(status));
  return function;
}

/// Kept, because a launch that is captured into a graph must load nothing.
const void* load_kernel(const loadable_kernel& wanted, std::span<const argument_facts> arguments) {
  static std::map<std::pair<int, const kernel_code*>, CUmodule> modules;
  static std::map<std::pair<CUmodule, std::string>, CUfunction> functions;
  int device = 0;
  ABLATE_CUDA_CHECK(cudaGetDevice(&device));
  const kernel_code& file = file_for(wanted, capability_of_gpu());
  auto loaded = modules.find({device, &file});
  if (loaded == modules.end()) loaded = modules.emplace(std::pair{device, &file}, load_module(file)).first;
  const auto function = functions.try_emplace({loaded->second, wanted.entry}, nullptr).first;
  if (!function->second) function->second = get_function(file, wanted.entry, loaded->second);
  // Variants may pass other arguments to the same kernel.
  if (const auto parameters = parameters_of(function->second))
    if (const auto why = mismatch(*parameters, arguments))
      throw std::runtime_error("kernel '" + wanted.entry + "' of " + file.path.string() + ": " + *why);
  return function->second;
}

void launch_loaded(launcher& to, const loadable_kernel& kernel, bound_launch& bound) {
  if (!to.only_describes() && !bound.asked.function) bound.asked.function = load_kernel(kernel, bound.facts);
  std::vector<void*> addresses;
  for (auto& value : bound.values) addresses.push_back(value.data());
  to.submit(bound.asked, addresses.data());
}

void call_on_stream(launcher& to, const char* name, const std::function<void(void*)>& work) {
  to.call(name, [&work](CUstream_st* stream) { work(stream); });
}

}  // namespace

const bool launch_backend_registered = register_launch_backend({launch_loaded, call_on_stream});

}  // namespace ablate::wrapped
