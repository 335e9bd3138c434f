#include "harness/counters/cupti_api.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "harness/counters/cupti_choice.h"

namespace ablate {

namespace {

std::vector<std::string> candidates() {
  if (const char* named = std::getenv("ABLATE_CUPTI")) return {named};
  std::vector<std::string> directories = {""};
  if (const char* toolkit = std::getenv("CUDA_HOME")) {
    directories.push_back(std::string(toolkit) + "/lib64/");
    directories.push_back(std::string(toolkit) + "/extras/CUPTI/lib64/");
  }
  directories.push_back("/usr/local/cuda/lib64/");
  directories.push_back("/usr/local/cuda/extras/CUPTI/lib64/");
  std::vector<std::string> paths;
  for (const std::string& directory : directories)
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
      paths.push_back(directory + name);
  return paths;
}

struct opened {
  std::string path;
  void* handle = nullptr;
};

unsigned version_of(void* library) {
  const auto ask = reinterpret_cast<int (*)(std::uint32_t*)>(dlsym(library, "cuptiGetVersion"));
  std::uint32_t version = 0;
  return ask && ask(&version) == 0 ? version : 0;
}

std::string driver_version_text() {
  std::ifstream in("/proc/driver/nvidia/version");
  return {std::istreambuf_iterator<char>(in), {}};
}

opened open_cupti() {
  std::vector<found_cupti> found;
  std::vector<void*> handles;
  for (const std::string& path : candidates())
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      found.push_back({path, version_of(handle)});
      handles.push_back(handle);
    }
  if (!found.empty()) {
    const std::size_t chosen = chosen_cupti(found, cuda_major_of_driver(driver_version_text()));
    for (std::size_t i = 0; i < handles.size(); ++i)
      if (i != chosen) dlclose(handles[i]);
    return {found[chosen].path, handles[chosen]};
  }
  const char* named = std::getenv("ABLATE_CUPTI");
  throw counters_unavailable(
      std::string(named ? "ABLATE_CUPTI does not name a loadable CUPTI" : "libcupti.so cannot be loaded") +
      ": install the package cuda-cupti of your CUDA version, or add its directory to "
      "LD_LIBRARY_PATH");
}

const opened& the_cupti() {
  static const opened library = open_cupti();
  return library;
}

}  // namespace

std::string cupti_path() { return the_cupti().path; }

#if ABLATE_HAS_CUPTI

namespace {

template <class Function>
void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(the_cupti().handle, name));
  if (!function)
    throw counters_unavailable(the_cupti().path + " has no " + name +
                               ": CUPTI of CUDA 12.6 or later is needed");
}

cupti_api load() {
  cupti_api api{};
  find(api.get_result_string, "cuptiGetResultString");
  find(api.host_initialize, "cuptiProfilerHostInitialize");
  find(api.host_deinitialize, "cuptiProfilerHostDeinitialize");
  find(api.host_base_metrics, "cuptiProfilerHostGetBaseMetrics");
  find(api.host_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  find(api.host_config_size, "cuptiProfilerHostGetConfigImageSize");
  find(api.host_config, "cuptiProfilerHostGetConfigImage");
  find(api.host_passes, "cuptiProfilerHostGetNumOfPasses");
  find(api.host_evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  find(api.initialize, "cuptiProfilerInitialize");
  find(api.deinitialize, "cuptiProfilerDeInitialize");
  find(api.device_supported, "cuptiProfilerDeviceSupported");
  find(api.availability, "cuptiProfilerGetCounterAvailability");
  find(api.chip_name, "cuptiDeviceGetChipName");
  find(api.range_enable, "cuptiRangeProfilerEnable");
  find(api.range_disable, "cuptiRangeProfilerDisable");
  find(api.range_data_size, "cuptiRangeProfilerGetCounterDataSize");
  find(api.range_data_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  find(api.range_configure, "cuptiRangeProfilerSetConfig");
  find(api.range_start, "cuptiRangeProfilerStart");
  find(api.range_stop, "cuptiRangeProfilerStop");
  find(api.range_decode, "cuptiRangeProfilerDecodeData");
  find(api.range_data_info, "cuptiRangeProfilerGetCounterDataInfo");
  find(api.sampling_enable, "cuptiPmSamplingEnable");
  find(api.sampling_disable, "cuptiPmSamplingDisable");
  find(api.sampling_availability, "cuptiPmSamplingGetCounterAvailability");
  find(api.sampling_data_size, "cuptiPmSamplingGetCounterDataSize");
  find(api.sampling_data_initialize, "cuptiPmSamplingCounterDataImageInitialize");
  find(api.sampling_configure, "cuptiPmSamplingSetConfig");
  find(api.sampling_start, "cuptiPmSamplingStart");
  find(api.sampling_stop, "cuptiPmSamplingStop");
  find(api.sampling_decode, "cuptiPmSamplingDecodeData");
  find(api.sampling_data_info, "cuptiPmSamplingGetCounterDataInfo");
  find(api.sampling_sample_info, "cuptiPmSamplingCounterDataGetSampleInfo");
  return api;
}

std::string remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "the driver restricts counters to administrators: load it with "
             "NVreg_RestrictProfilingToAdminUsers=0, or run with CAP_SYS_ADMIN";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "another program holds the counters of this GPU: stop it (DCGM: dcgmi profile --pause)";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler is attached to this process: run without it, or with --counters none";
    case CUPTI_ERROR_NOT_INITIALIZED:
      return "CUPTI could not start: libnvperf_host and libnvperf_target must be beside libcupti, and the "
             "driver must be as new as the toolkit";
    default:
      return "";
  }
}

}  // namespace

const cupti_api& cupti() {
  static const cupti_api api = load();
  return api;
}

void cupti_check(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  if (cupti().get_result_string(result, &name) != CUPTI_SUCCESS || !name) name = "an unknown error";
  const std::string why = remedy(result);
  const std::string what =
      (why.empty() ? "" : why + "; ") + std::string("CUPTI refused ") + call + ": " + name;
  if (result == CUPTI_ERROR_HARDWARE_BUSY) throw counters_busy(what);
  throw counters_unavailable(what);
}

std::string chip_name(int device) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Device_GetChipName_Params, p);
  p.deviceIndex = static_cast<std::size_t>(device);
  ABLATE_CUPTI_CHECK(chip_name, p);
  return p.pChipName;
}

CUcontext current_context() {
  using get_current = CUresult (*)(CUcontext*);
  // The CUDA runtime has opened the driver already; this program itself never loads it.
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto ask = driver ? reinterpret_cast<get_current>(dlsym(driver, "cuCtxGetCurrent")) : nullptr;
  CUcontext context = nullptr;
  if (!ask || ask(&context) != CUDA_SUCCESS || !context)
    throw counters_unavailable("this thread has no CUDA context");
  return context;
}

#endif

}  // namespace ablate
