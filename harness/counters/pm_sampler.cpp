#include "harness/counters/pm_sampler.h"

#include <optional>

#include "harness/counters/cupti_api.h"

namespace ablate {

#if ABLATE_HAS_CUPTI

namespace {

constexpr std::size_t hardware_buffer_bytes = 256ull << 20;

std::vector<std::uint8_t> availability(int device) {
  ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_GetCounterAvailability_Params, p);
  p.deviceIndex = static_cast<std::size_t>(device);
  ABLATE_CUPTI_CHECK(sampling_availability, p);
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  ABLATE_CUPTI_CHECK(sampling_availability, p);
  return image;
}

/// PM sampling, enabled for one interval: CUPTI keeps the first configuration until it is disabled.
class sampling_session {
 public:
  sampling_session(const counter_host& host, int device, bool has_timer, std::uint64_t interval,
                   std::uint32_t max_samples)
      : host_(host) {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_Enable_Params, enable);
    enable.deviceIndex = static_cast<std::size_t>(device);
    ABLATE_CUPTI_CHECK(sampling_enable, enable);
    object_ = enable.pPmSamplingObject;
    try {
      configure(has_timer, interval);
      make_data(max_samples);
    } catch (...) {
      disable();
      throw;
    }
  }
  sampling_session(const sampling_session&) = delete;
  ~sampling_session() { disable(); }

  void run(const std::function<void()>& work) {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_Start_Params, p);
    p.pPmSamplingObject = object_;
    ABLATE_CUPTI_CHECK(sampling_start, p);
    try {
      work();
    } catch (...) {
      stop();
      throw;
    }
    cupti_check(stop(), "sampling_stop");
  }

  std::vector<pm_sample> decode() {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_DecodeData_Params, p);
    p.pPmSamplingObject = object_;
    p.pCounterDataImage = data_.data();
    p.counterDataImageSize = data_.size();
    const CUptiResult decoded = cupti().sampling_decode(&p);
    if (p.overflow || decoded == CUPTI_ERROR_OUT_OF_MEMORY)
      throw samples_fall_short("the hardware's buffer was full of PM samples before the host stopped them");
    cupti_check(decoded, "sampling_decode");
    // If the buffer is full, the first samples are contiguous and the rest is lost; decoding again gives
    // fragments of it. The last samples are useless, except if the host was away before the work began.
    std::vector<pm_sample> samples = all_samples();
    if (!samples.empty()) samples.erase(samples.begin());  // began before the start
    return samples;
  }

 private:
  void disable() {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_Disable_Params, p);
    p.pPmSamplingObject = object_;
    cupti().sampling_disable(&p);
  }

  void configure(bool has_timer, std::uint64_t interval) {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_SetConfig_Params, p);
    p.pPmSamplingObject = object_;
    p.configSize = host_.config_image().size();
    p.pConfig = host_.config_image().data();
    p.hardwareBufferSize = hardware_buffer_bytes;
    p.samplingInterval = interval;
    p.triggerMode = has_timer ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL
                              : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
    p.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
    ABLATE_CUPTI_CHECK(sampling_configure, p);
  }

  void make_data(std::uint32_t max_samples) {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_GetCounterDataSize_Params, size);
    std::vector<const char*> names = host_.metric_names();
    size.pPmSamplingObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxSamples = max_samples;
    ABLATE_CUPTI_CHECK(sampling_data_size, size);
    data_.resize(size.counterDataSize);
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_CounterDataImage_Initialize_Params, p);
    p.pPmSamplingObject = object_;
    p.counterDataSize = data_.size();
    p.pCounterData = data_.data();
    ABLATE_CUPTI_CHECK(sampling_data_initialize, p);
  }

  CUptiResult stop() {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_Stop_Params, p);
    p.pPmSamplingObject = object_;
    return cupti().sampling_stop(&p);
  }

  std::vector<pm_sample> all_samples() const {
    ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    ABLATE_CUPTI_CHECK(sampling_data_info, info);
    std::vector<pm_sample> samples;
    for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
      ABLATE_CUPTI_PARAMETERS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, at);
      at.pPmSamplingObject = object_;
      at.pCounterDataImage = data_.data();
      at.counterDataImageSize = data_.size();
      at.sampleIndex = i;
      ABLATE_CUPTI_CHECK(sampling_sample_info, at);
      if (at.endTimestamp <= at.startTimestamp) continue;  // what comes after the stop has no length
      samples.push_back({at.startTimestamp, at.endTimestamp, host_.evaluate(data_, i)});
    }
    return samples;
  }

  const counter_host& host_;
  CUpti_PmSampling_Object* object_ = nullptr;
  std::vector<std::uint8_t> data_;
};

}  // namespace

struct pm_sampler::state {
  int device = 0;
  std::uint32_t max_samples = 0;
  std::string silicon;
  std::optional<counter_host> host;
};

pm_sampler::pm_sampler(int device, std::vector<std::string> metrics, std::uint32_t max_samples)
    : state_(std::make_unique<state>()) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params, begin);
  ABLATE_CUPTI_CHECK(initialize, begin);
  state_->device = device;
  state_->max_samples = max_samples;
  state_->silicon = chip_name(device);
  state_->host.emplace(counter_group::profiler::pm_sampling, state_->silicon, std::move(metrics),
                       availability(device));
  if (state_->host->passes() != 1)
    throw counters_unavailable("PM sampling of these metrics needs more than one pass");
}

std::vector<pm_sample> pm_sampler::sample(std::uint64_t interval_ns, const std::function<void()>& work) {
  sampling_session session(*state_->host, state_->device, state_->silicon != "GA100", interval_ns,
                           state_->max_samples);
  session.run(work);
  return session.decode();
}

#else

struct pm_sampler::state {};

pm_sampler::pm_sampler(int, std::vector<std::string>, std::uint32_t) {
  throw counters_unavailable("this program was built without CUPTI's headers");
}

std::vector<pm_sample> pm_sampler::sample(std::uint64_t, const std::function<void()>&) { return {}; }

#endif

pm_sampler::~pm_sampler() = default;

}  // namespace ablate
