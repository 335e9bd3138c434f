#pragma once

#include "harness/counters/marked_sampler.cuh"

namespace ablate {

/// Samples the values of a record's `sampled` on a CUDA device, with a marker before the work.
class range_sampler final : public device_sampler {
 public:
  explicit range_sampler(int device);
  const std::optional<std::string>& why_not() const { return sampler_.why_not(); }

  const std::vector<std::string>& keys() const override { return sampler_.keys(); }
  clocked_samples sample(std::uint64_t interval_ns, const std::function<void()>& work) override;

 private:
  marked_sampler sampler_;
  stream stream_;
};

}  // namespace ablate
