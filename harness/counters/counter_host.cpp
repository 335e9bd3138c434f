#include "harness/counters/counter_host.h"

#include <cmath>
#include <limits>

#include "harness/counters/cupti_api.h"

#if ABLATE_HAS_CUPTI
#include <cupti_profiler_host.h>
#endif

namespace ablate {

#if ABLATE_HAS_CUPTI

namespace {

CUpti_Profiler_Host_Object* create_host(counter_group::profiler how, const std::string& silicon,
                                        std::span<const std::uint8_t> availability) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, p);
  p.profilerType = how == counter_group::profiler::range ? CUPTI_PROFILER_TYPE_RANGE_PROFILER
                                                         : CUPTI_PROFILER_TYPE_PM_SAMPLING;
  p.pChipName = silicon.c_str();
  p.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  ABLATE_CUPTI_CHECK(host_initialize, p);
  return p.pHostObject;
}

void destroy_host(CUpti_Profiler_Host_Object* object) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, p);
  p.pHostObject = object;
  cupti().host_deinitialize(&p);
}

CUptiResult add(CUpti_Profiler_Host_Object* object, const char** names, std::size_t count) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, p);
  p.pHostObject = object;
  p.ppMetricNames = names;
  p.numMetrics = count;
  return cupti().host_add_metrics(&p);
}

}  // namespace

struct counter_host::state {
  std::vector<std::string> metrics;
  std::vector<const char*> names;
  std::vector<std::uint8_t> config;
  CUpti_Profiler_Host_Object* object = nullptr;

  ~state() {
    if (object) destroy_host(object);
  }
};

counter_host::counter_host(counter_group::profiler how, const std::string& silicon,
                           std::vector<std::string> metrics, std::span<const std::uint8_t> availability)
    : state_(std::make_unique<state>()) {
  state_->metrics = std::move(metrics);
  for (const std::string& metric : state_->metrics) state_->names.push_back(metric.c_str());
  state_->object = create_host(how, silicon, availability);

  const CUptiResult added = add(state_->object, state_->names.data(), state_->names.size());
  if (added != CUPTI_SUCCESS) {
    for (const char* name : state_->names) {
      const std::unique_ptr<CUpti_Profiler_Host_Object, void (*)(CUpti_Profiler_Host_Object*)> alone(
          create_host(how, silicon, availability), destroy_host);
      if (add(alone.get(), &name, 1) != CUPTI_SUCCESS)
        throw counters_unavailable(silicon + " has no metric '" + name + "' on this device");
    }
    cupti_check(added, "host_add_metrics");
  }

  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = state_->object;
  ABLATE_CUPTI_CHECK(host_config_size, size);
  state_->config.resize(size.configImageSize);
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = state_->object;
  image.configImageSize = state_->config.size();
  image.pConfigImage = state_->config.data();
  ABLATE_CUPTI_CHECK(host_config, image);
}

std::vector<std::string> base_metrics(const std::string& silicon) {
  const std::unique_ptr<CUpti_Profiler_Host_Object, void (*)(CUpti_Profiler_Host_Object*)> host(
      create_host(counter_group::profiler::range, silicon, {}), destroy_host);
  std::vector<std::string> names;
  for (int type = 0; type < CUPTI_METRIC_TYPE__COUNT; ++type) {
    ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetBaseMetrics_Params, p);
    p.pHostObject = host.get();
    p.metricType = static_cast<CUpti_MetricType>(type);
    ABLATE_CUPTI_CHECK(host_base_metrics, p);
    names.insert(names.end(), p.ppMetricNames, p.ppMetricNames + p.numMetrics);
  }
  return names;
}

std::size_t counter_host::passes() const {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, p);
  p.configImageSize = state_->config.size();
  p.pConfigImage = state_->config.data();
  ABLATE_CUPTI_CHECK(host_passes, p);
  return p.numOfPasses;
}

std::vector<double> counter_host::evaluate(std::span<const std::uint8_t> counter_data,
                                           std::size_t index) const {
  std::vector<double> values(state_->names.size(), std::numeric_limits<double>::quiet_NaN());
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);
  p.pHostObject = state_->object;
  p.pCounterDataImage = counter_data.data();
  p.counterDataImageSize = counter_data.size();
  p.rangeIndex = index;
  p.ppMetricNames = state_->names.data();
  p.numMetrics = state_->names.size();
  p.pMetricValues = values.data();
  ABLATE_CUPTI_CHECK(host_evaluate, p);
  return values;
}

#else

struct counter_host::state {
  std::vector<std::string> metrics;
  std::vector<const char*> names;
  std::vector<std::uint8_t> config;
};

counter_host::counter_host(counter_group::profiler, const std::string&, std::vector<std::string>,
                           std::span<const std::uint8_t>) {
  throw counters_unavailable("this program was built without CUDA");
}

std::vector<std::string> base_metrics(const std::string&) {
  throw counters_unavailable("this program was built without CUDA");
}

std::size_t counter_host::passes() const { return 0; }
std::vector<double> counter_host::evaluate(std::span<const std::uint8_t>, std::size_t) const { return {}; }

#endif

counter_host::~counter_host() = default;
counter_host::counter_host(counter_host&&) noexcept = default;

const std::vector<std::string>& counter_host::metrics() const { return state_->metrics; }
const std::vector<const char*>& counter_host::metric_names() const { return state_->names; }
const std::vector<std::uint8_t>& counter_host::config_image() const { return state_->config; }

}  // namespace ablate
