#pragma once

#include <memory>
#include <optional>

#include "harness/counters/device_marks.cuh"
#include "harness/counters/device_sampler.h"

namespace ablate {

/// Samples the values of a record's `sampled` on a CUDA device, a marker in front of the work.
class range_sampler final : public device_sampler {
 public:
  explicit range_sampler(int device);
  const std::optional<std::string>& why_not() const { return why_not_; }

  const std::vector<std::string>& keys() const override { return keys_; }
  clocked_samples sample(std::uint64_t interval_ns, const std::function<void()>& work) override;

 private:
  device_marks marks_;
  stream stream_;
  std::vector<std::string> keys_;
  std::unique_ptr<pm_sampler> sampler_;
  std::optional<std::string> why_not_;
};

}  // namespace ablate
