#include <nvtx3/nvToolsExt.h>

#include <cstring>

#include "harness/device/chip.h"
#include "harness/device/kernel_facts.h"
#include "harness/device/nvml.h"
#include "harness/runner/cuda_buffers.cuh"
#include "harness/runner/cuda_executor.cuh"
#include "harness/timing/gpu_timing.cuh"

namespace ablate {

namespace {

/// The case's id as a range that `nsys` and `ncu` show.
class nvtx_range {
 public:
  explicit nvtx_range(const std::string& name) { nvtxRangePushA(name.c_str()); }
  nvtx_range(const nvtx_range&) = delete;
  ~nvtx_range() { nvtxRangePop(); }
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

nlohmann::ordered_json available(const char* rung) { return {{"rung", rung}, {"available", true}}; }

nlohmann::ordered_json missing(const char* rung, const std::string& reason) {
  return {{"rung", rung}, {"available", false}, {"reason", reason}};
}

class cuda_executor final : public executor {
 public:
  explicit cuda_executor(int index)
      : properties_(select(index)),
        limits_{properties_.multiProcessorCount, properties_.sharedMemPerBlockOptin},
        flush_(properties_.l2CacheSize),
        nvml_(uuid_text(properties_.uuid)) {}

  nlohmann::ordered_json device_facts() override {
    const chip* profile = chip_of_product(properties_.name);
    int driver = 0, runtime = 0;
    ABLATE_CUDA_CHECK(cudaDriverGetVersion(&driver));
    ABLATE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    const nvml_facts facts = nvml_.facts();
    const auto or_null = [](const auto& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
    };
    return {
        {"kind", "gpu"},
        {"name", properties_.name},
        {"chip", profile ? nlohmann::ordered_json(profile->name) : nlohmann::ordered_json()},
        {"silicon", profile ? nlohmann::ordered_json(profile->silicon) : nlohmann::ordered_json()},
        {"uuid", uuid_text(properties_.uuid)},
        {"compute_capability", std::to_string(properties_.major) + "." + std::to_string(properties_.minor)},
        {"architecture", profile ? nlohmann::ordered_json(profile->architecture) : nlohmann::ordered_json()},
        {"multiprocessors", properties_.multiProcessorCount},
        {"l2_bytes", properties_.l2CacheSize},
        {"memory_bytes", properties_.totalGlobalMem},
        {"driver", facts.driver.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(facts.driver)},
        {"cuda_driver", version_text(driver)},
        {"cuda_runtime", version_text(runtime)},
        {"ecc", or_null(facts.ecc)},
        {"mig", or_null(facts.mig)},
        {"power_cap_w", or_null(facts.power_cap_w)}};
  }

  nlohmann::ordered_json evidence() override {
    constexpr const char* not_collected = "this program does not collect it";
    return {available("timing"),
            nvml_.available() ? available("device_state") : missing("device_state", nvml_.why_not()),
            all_kernel_resources().empty()
                ? missing("static_facts", "this build holds no machine code, only PTX")
                : available("static_facts"),
            missing("kernel_activity", not_collected),
            missing("range_counters", not_collected),
            missing("pm_sampling", not_collected)};
  }

  measurement run(const suite_case& c, const workload& work, const input_library& inputs,
                  const sampling& rule) override {
    const nvtx_range range(c.id);
    try {
      return run_case(c, work, inputs, rule);
    } catch (const out_of_memory&) {
      throw;
    } catch (const std::exception& failure) {
      // A kernel that faulted takes the whole context with it; anything else leaves the device usable.
      if (cudaDeviceSynchronize() != cudaSuccess) throw device_lost(failure.what());
      cudaGetLastError();
      throw;
    }
  }

 private:
  static cudaDeviceProp select(int index) {
    ABLATE_CUDA_CHECK(cudaSetDevice(index));
    cudaDeviceProp properties;
    ABLATE_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    return properties;
  }

  measurement run_case(const suite_case& c, const workload& work, const input_library& inputs,
                       const sampling& rule) {
    const std::vector<buffer> buffers = c.operation->buffers(c.axes, inputs);
    cuda_buffers device(buffers, work, copies(c, buffers));
    const auto bind = [&](std::size_t set, bool instrumented) {
      return c.operation->bind(*c.variant, c.axes, inputs, device.addresses(set, instrumented));
    };

    const check_result before = launch_and_check(bind(0, false), device, work);
    if (!before.ok) return {"wrong", "before timing: " + before.message, {}};
    nlohmann::ordered_json instrumented;
    if (work.read_instruments) {
      const check_result counted = launch_and_check(bind(0, true), device, work);
      if (!counted.ok) return {"wrong", "instrumented form: " + counted.message, {}};
      instrumented = work.read_instruments(device.instruments());
    }

    timed_region region;
    for (std::size_t set = 0; set < device.sets(); ++set) region.launches.push_back(bind(set, false));
    if (device.must_reset_while_timing())
      region.reset = [&](cudaStream_t stream) { device.reset_zeros(stream); };

    const nlohmann::ordered_json state_before = state();
    const timed time = c.state == cache_state::cold_clean
                           ? time_cold_clean(region, stream_, limits_, flush_, rule)
                           : time_graph_batches(region, stream_, limits_, rule);
    const nlohmann::ordered_json state_after = state();

    const check_result after = launch_and_check(bind(0, false), device, work);
    if (!after.ok) return {"wrong", "after timing: " + after.message, {}};

    return {
        "ok",
        "",
        {{"time_us", to_json(time)},
         {"counters",
          {{"set", "none"},
           {"reason", "no counters were requested"},
           {"values", nlohmann::ordered_json::object()}}},
         {"kernels", kernels_of(bind(0, false))},
         {"instrumented", instrumented},
         {"check",
          {{"before", "ok"}, {"after", "ok"}, {"max_error", std::max(before.max_error, after.max_error)}}},
         {"device_state", state_before.is_null()
                              ? nlohmann::ordered_json()
                              : nlohmann::ordered_json{{"before", state_before}, {"after", state_after}}}}};
  }

  /// Rotating runs over so many sets of the case's buffers that none is still in L2 when its turn comes
  /// again.
  std::size_t copies(const suite_case& c, const std::vector<buffer>& buffers) const {
    if (c.state != cache_state::rotating) return 1;
    const std::size_t wanted = 3 * static_cast<std::size_t>(properties_.l2CacheSize);
    return wanted / std::max<std::size_t>(footprint(buffers), 1) + 1;
  }

  check_result launch_and_check(const std::function<void(launcher&)>& launch, cuda_buffers& device,
                                const workload& work) {
    device.reset_all(stream_);
    launcher to(stream_, limits_);
    launch(to);
    ABLATE_CUDA_CHECK(cudaStreamSynchronize(stream_));
    return work.check(device.download());
  }

  nlohmann::ordered_json kernels_of(const std::function<void(launcher&)>& launch) const {
    launcher describing = launcher::describing(limits_);
    launch(describing);
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const kernel_launch& described : describing.described()) kernels.push_back(describe(described));
    return kernels;
  }

  nlohmann::ordered_json state() const {
    return nvml_.available() ? to_json(nvml_.state()) : nlohmann::ordered_json();
  }

  cudaDeviceProp properties_;
  device_limits limits_;
  stream stream_;
  l2_flush flush_;
  nvml nvml_;
};

}  // namespace

std::unique_ptr<executor> make_cuda_executor(int index) { return std::make_unique<cuda_executor>(index); }

}  // namespace ablate
