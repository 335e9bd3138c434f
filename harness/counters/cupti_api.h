#pragma once

// CUPTI, opened at run time and never linked: a program that cannot find it can still time kernels. Without
// the toolkit's headers (a build without CUDA), ABLATE_HAS_CUPTI is 0 and code that needs CUPTI says so.
#if ABLATE_HAS_CUDA && __has_include(<cupti_pmsampling.h>) && __has_include(<cupti_range_profiler.h>)
#define ABLATE_HAS_CUPTI 1
#else
#define ABLATE_HAS_CUPTI 0
#endif

#include <string>

#include "harness/counters/unavailable.h"

namespace ablate {

/// Path of the libcupti that this program uses: the environment variable ABLATE_CUPTI if set, else the
/// loader's search path, then the toolkit's folders; one that is too new for the driver only where there is
/// no other (cupti_choice.h). Throws counters_unavailable.
std::string cupti_path();

}  // namespace ablate

#if ABLATE_HAS_CUPTI

#include <cupti_pmsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

// cupti_profiler_host.h is C++ that pulls <string> into an extern "C" header: only counter_host.cpp includes
// it.
struct CUpti_Profiler_Host_Initialize_Params;
struct CUpti_Profiler_Host_Deinitialize_Params;
struct CUpti_Profiler_Host_GetBaseMetrics_Params;
struct CUpti_Profiler_Host_ConfigAddMetrics_Params;
struct CUpti_Profiler_Host_GetConfigImageSize_Params;
struct CUpti_Profiler_Host_GetConfigImage_Params;
struct CUpti_Profiler_Host_GetNumOfPasses_Params;
struct CUpti_Profiler_Host_EvaluateToGpuValues_Params;

namespace ablate {

template <class Parameters>
using cupti_call = CUptiResult(CUPTIAPI*)(Parameters*);

/// The functions of CUPTI that Ablate calls.
struct cupti_api {
  decltype(&::cuptiGetResultString) get_result_string;

  cupti_call<CUpti_Profiler_Host_Initialize_Params> host_initialize;
  cupti_call<CUpti_Profiler_Host_Deinitialize_Params> host_deinitialize;
  cupti_call<CUpti_Profiler_Host_GetBaseMetrics_Params> host_base_metrics;
  cupti_call<CUpti_Profiler_Host_ConfigAddMetrics_Params> host_add_metrics;
  cupti_call<CUpti_Profiler_Host_GetConfigImageSize_Params> host_config_size;
  cupti_call<CUpti_Profiler_Host_GetConfigImage_Params> host_config;
  cupti_call<CUpti_Profiler_Host_GetNumOfPasses_Params> host_passes;
  cupti_call<CUpti_Profiler_Host_EvaluateToGpuValues_Params> host_evaluate;

  cupti_call<CUpti_Profiler_Initialize_Params> initialize;
  cupti_call<CUpti_Profiler_DeInitialize_Params> deinitialize;
  cupti_call<CUpti_Profiler_DeviceSupported_Params> device_supported;
  cupti_call<CUpti_Profiler_GetCounterAvailability_Params> availability;
  cupti_call<CUpti_Device_GetChipName_Params> chip_name;

  cupti_call<CUpti_RangeProfiler_Enable_Params> range_enable;
  cupti_call<CUpti_RangeProfiler_Disable_Params> range_disable;
  cupti_call<CUpti_RangeProfiler_GetCounterDataSize_Params> range_data_size;
  cupti_call<CUpti_RangeProfiler_CounterDataImage_Initialize_Params> range_data_initialize;
  cupti_call<CUpti_RangeProfiler_SetConfig_Params> range_configure;
  cupti_call<CUpti_RangeProfiler_Start_Params> range_start;
  cupti_call<CUpti_RangeProfiler_Stop_Params> range_stop;
  cupti_call<CUpti_RangeProfiler_DecodeData_Params> range_decode;
  cupti_call<CUpti_RangeProfiler_GetCounterDataInfo_Params> range_data_info;

  cupti_call<CUpti_PmSampling_Enable_Params> sampling_enable;
  cupti_call<CUpti_PmSampling_Disable_Params> sampling_disable;
  cupti_call<CUpti_PmSampling_GetCounterAvailability_Params> sampling_availability;
  cupti_call<CUpti_PmSampling_GetCounterDataSize_Params> sampling_data_size;
  cupti_call<CUpti_PmSampling_CounterDataImage_Initialize_Params> sampling_data_initialize;
  cupti_call<CUpti_PmSampling_SetConfig_Params> sampling_configure;
  cupti_call<CUpti_PmSampling_Start_Params> sampling_start;
  cupti_call<CUpti_PmSampling_Stop_Params> sampling_stop;
  cupti_call<CUpti_PmSampling_DecodeData_Params> sampling_decode;
  cupti_call<CUpti_PmSampling_GetCounterDataInfo_Params> sampling_data_info;
  cupti_call<CUpti_PmSampling_CounterData_GetSampleInfo_Params> sampling_sample_info;
};

/// Opens CUPTI on the first call. Throws counters_unavailable.
const cupti_api& cupti();

/// Throws counters_unavailable with the name of the call and what to do about the refusal; counters_busy
/// where someone else has the counters.
void cupti_check(CUptiResult, const char* call);

/// CUPTI's name for a GPU's silicon, e.g. GH100. Throws counters_unavailable.
std::string chip_name(int device);

/// The context of the calling thread. Throws counters_unavailable.
CUcontext current_context();

}  // namespace ablate

/// Parameters of a call: all zero except the struct size, by which CUPTI identifies the version.
#define ABLATE_CUPTI_PARAMETERS(type, name) \
  type name{};                              \
  name.structSize = type##_STRUCT_SIZE

#define ABLATE_CUPTI_CHECK(call, parameters) \
  ::ablate::cupti_check(::ablate::cupti().call(&(parameters)), #call)

#endif
