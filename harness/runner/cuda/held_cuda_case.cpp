#include "harness/runner/held_cuda_case.cuh"

#include <vector>

#include "harness/device/cuda_check.cuh"
#include "harness/runner/case_timing.cuh"
#include "harness/runner/cuda_case.cuh"
#include "harness/runner/nvtx_range.cuh"
#include "harness/runner/or_device_lost.cuh"
#include "harness/timing/statistics.h"

namespace ablate {

namespace {

class held_cuda_case final : public held_case {
 public:
  held_cuda_case(const cuda_device& on, const suite_case& c, const workload& work,
                 const input_library& inputs, const std::vector<buffer>& buffers)
      : buffers_(buffers, work, buffer_sets(c.state, buffers, on.properties.l2CacheSize)),
        case_(on, c, work, inputs, buffers_) {
    on.l2.restore(on.stream);
  }

  double time_us(const sampling& rule) override {
    const nvtx_range range(case_.spec.id);
    return or_device_lost([&] {
      restore();
      const timed_region region = case_.bound.region(case_.spec.state == cache_state::cold_clean);
      return summarize(time_region(case_, region, rule).samples_us).median;
    });
  }

  /// Enough launches at a time that the device has no pause while the host looks whether it is over.
  void keep_busy(const sampling&, const std::function<bool()>& is_over) override {
    constexpr int launches_between_looks = 32;
    const nvtx_range range(case_.spec.id);
    or_device_lost([&] {
      restore();
      do {
        for (int i = 0; i < launches_between_looks; ++i) case_.bound.launch();
        ABLATE_CUDA_CHECK(cudaStreamSynchronize(case_.device.stream));
      } while (!is_over());
    });
  }

 private:
  void restore() const {
    for (std::size_t set = 0; set < case_.bound.sets(); ++set) case_.bound.restore(set);
  }

  cuda_buffers buffers_;
  cuda_case case_;
};

}  // namespace

std::unique_ptr<held_case> hold_on(const cuda_device& on, const suite_case& c, const workload& work,
                                   const input_library& inputs) {
  return std::make_unique<held_cuda_case>(on, c, work, inputs,
                                          c.operation->buffers_of(c.variant, c.axes, inputs));
}

}  // namespace ablate
