#include "harness/counters/range_profiler.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "harness/counters/counter_support.h"
#include "harness/counters/cupti_api.h"

namespace ablate {

#if ABLATE_HAS_CUPTI

namespace {

support_level level_of(CUpti_Profiler_Support_Level level) {
  switch (level) {
    case CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED:
      return support_level::unsupported;
    case CUPTI_PROFILER_CONFIGURATION_DISABLED:
      return support_level::disabled;
    case CUPTI_PROFILER_CONFIGURATION_SUPPORTED:
      return support_level::supported;
    default:
      return support_level::unknown;
  }
}

/// Headers of some toolkits have no such answer.
template <class Parameters>
support_level level_of_sku(const Parameters& p) {
  if constexpr (requires { p.sku; })
    return level_of(p.sku);
  else
    return support_level::supported;
}

void require_supported(int device, CUpti_Profiler_API api) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_DeviceSupported_Params, p);
  p.cuDevice = device;
  p.api = api;
  ABLATE_CUPTI_CHECK(device_supported, p);
  const support_answer answers[] = {
      {level_of(p.architecture), "on this architecture"},
      {level_of(p.wsl), "under WSL2: boot Linux itself, or time without counters"},
      {level_of(p.vGpu), "on this virtual GPU: profiling must be enabled for it on the host"},
      {level_of(p.confidentialCompute), "under confidential computing"},
      {level_of(p.sli), "under SLI"},
      {level_of(p.cmp), "on a mining processor"},
      {level_of_sku(p), "on this product, whose SKU leaves profiling out"},
      {level_of(p.isSupported), "on this GPU"}};
  if (const auto why = why_no_counters(answers)) throw counters_unavailable(*why);
}

/// Also the probe for permission: the calls before it succeed without.
std::vector<std::uint8_t> availability(CUcontext context) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_GetCounterAvailability_Params, p);
  p.ctx = context;
  ABLATE_CUPTI_CHECK(availability, p);
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  ABLATE_CUPTI_CHECK(availability, p);
  return image;
}

}  // namespace

/// The profiler, enabled for one group. CUPTI keeps configuration and counter data of the first SetConfig
/// until the session is disabled, whatever a second one says; and it starts one session at a time.
class range_session {
 public:
  range_session(const counter_host& host, CUcontext context, std::size_t room) : host_(host), room_(room) {
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = context;
    ABLATE_CUPTI_CHECK(range_enable, enable);
    object_ = enable.pRangeProfilerObject;
    try {
      make_empty_data();
      configure();
    } catch (...) {
      disable();
      throw;
    }
  }
  range_session(const range_session&) = delete;
  ~range_session() { disable(); }

  const counter_host& host() const { return host_; }
  std::size_t room() const { return room_; }

  /// Values by kernel.
  std::vector<std::vector<double>> collect(std::size_t kernels, const std::function<void()>& launch) {
    data_ = empty_data_;
    launch_profiled(launch);
    decode(kernels);
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < kernels; ++i) rows.push_back(host_.evaluate(data_, i));
    return rows;
  }

 private:
  void disable() {
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params, p);
    p.pRangeProfilerObject = object_;
    cupti().range_disable(&p);
  }

  void make_empty_data() {
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    std::vector<const char*> names = host_.metric_names();
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = room_;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(room_);
    ABLATE_CUPTI_CHECK(range_data_size, size);
    empty_data_.resize(size.counterDataSize);
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, p);
    p.pRangeProfilerObject = object_;
    p.counterDataSize = empty_data_.size();
    p.pCounterData = empty_data_.data();
    ABLATE_CUPTI_CHECK(range_data_initialize, p);
    data_ = empty_data_;
  }

  void configure() {
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, p);
    p.pRangeProfilerObject = object_;
    p.configSize = host_.config_image().size();
    p.pConfig = host_.config_image().data();
    p.counterDataImageSize = data_.size();
    p.pCounterDataImage = data_.data();
    p.range = CUPTI_AutoRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = room_;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.passIndex = 0;
    p.targetNestingLevel = 1;
    ABLATE_CUPTI_CHECK(range_configure, p);
  }

  CUptiResult stop(bool& all_submitted) {
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, p);
    p.pRangeProfilerObject = object_;
    const CUptiResult result = cupti().range_stop(&p);
    all_submitted = p.isAllPassSubmitted != 0;
    return result;
  }

  void launch_profiled(const std::function<void()>& launch) {
    bool all_submitted = false;
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params, p);
    p.pRangeProfilerObject = object_;
    ABLATE_CUPTI_CHECK(range_start, p);
    try {
      launch();
    } catch (...) {
      stop(all_submitted);
      throw;
    }
    cupti_check(stop(all_submitted), "range_stop");
    if (!all_submitted) throw counters_unavailable("CUPTI asks for a second pass of a one-pass group");
  }

  void decode(std::size_t kernels) {
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decoded);
    decoded.pRangeProfilerObject = object_;
    ABLATE_CUPTI_CHECK(range_decode, decoded);
    ABLATE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    ABLATE_CUPTI_CHECK(range_data_info, info);
    // A range that is missing would read as values that are no numbers, with success; one too many would
    // shift them.
    if (decoded.numOfRangeDropped != 0 || info.numTotalRanges != kernels)
      throw counters_unavailable("CUPTI saw " + std::to_string(info.numTotalRanges) +
                                 " kernels and dropped " + std::to_string(decoded.numOfRangeDropped) +
                                 " where " + std::to_string(kernels) + " ran");
  }

  const counter_host& host_;
  std::size_t room_;  ///< ranges that fit
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> empty_data_, data_;  ///< the latter stays where it is: CUPTI writes to it
};

struct range_profiler::state {
  std::string silicon;
  CUcontext context = nullptr;
  std::vector<std::uint8_t> available;
  std::map<std::string, counter_host> hosts;  ///< by group
  std::optional<range_session> session;

  const counter_host& host_of(const counter_group& group) {
    const auto found = hosts.find(group.name);
    if (found != hosts.end()) return found->second;
    counter_host made(counter_group::profiler::range, silicon, group.metrics_on(silicon), available);
    if (const std::size_t passes = made.passes(); passes != 1)
      throw counters_unavailable("group '" + group.name + "' needs " + std::to_string(passes) +
                                 " passes on this device; one group is one pass");
    return hosts.emplace(group.name, std::move(made)).first->second;
  }

  ~state() {
    session.reset();
    ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_DeInitialize_Params, end);
    cupti().deinitialize(&end);
  }
};

range_profiler::range_profiler(int device) {
  ABLATE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params, begin);
  ABLATE_CUPTI_CHECK(initialize, begin);
  state_ = std::make_unique<state>();
  require_supported(device, CUPTI_PROFILER_RANGE_PROFILING);
  state_->silicon = chip_name(device);
  state_->context = current_context();
  state_->available = availability(state_->context);
}

void range_profiler::open(const counter_group& group, std::size_t kernels,
                          const std::function<void()>& prepare, const std::function<void()>& launch) {
  if (group.metrics_on(silicon()).empty())
    throw counters_unavailable("group '" + group.name + "' does not exist on " + silicon());
  const counter_host& host = state_->host_of(group);
  // Room for more ranges than there should be: they are counted, not assumed. And for more kernels than
  // these: a variant with a few more takes no new session, which for a thousand kernels is several seconds.
  const std::size_t room = std::bit_ceil(kernels + 4);
  if (state_->session && &state_->session->host() == &host && state_->session->room() >= kernels + 4) return;
  state_->session.reset();
  prepare();
  state_->session.emplace(host, state_->context, room);
  collect(kernels, launch);
}

std::vector<std::vector<double>> range_profiler::collect(std::size_t kernels,
                                                         const std::function<void()>& launch) {
  try {
    return state_->session.value().collect(kernels, launch);
  } catch (...) {
    state_->session.reset();
    throw;
  }
}

void range_profiler::release() { state_->session.reset(); }

#else

struct range_profiler::state {
  std::string silicon;
};

range_profiler::range_profiler(int) {
  throw counters_unavailable("this program was built without CUPTI's headers");
}

void range_profiler::open(const counter_group&, std::size_t, const std::function<void()>&,
                          const std::function<void()>&) {}

std::vector<std::vector<double>> range_profiler::collect(std::size_t, const std::function<void()>&) {
  return {};
}

void range_profiler::release() {}

#endif

range_profiler::~range_profiler() = default;

const std::string& range_profiler::silicon() const { return state_->silicon; }

}  // namespace ablate
