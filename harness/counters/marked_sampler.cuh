#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/counters/device_marks.cuh"
#include "harness/counters/device_sampler.h"

namespace ablate {

/// PM sampling of one device; a marker before the work sets its clock. It also opens where sampling is
/// unavailable, and says why.
class marked_sampler {
 public:
  /// The samples' values: key in a record, and CUPTI's metric. `max_samples` as pm_sampler takes it,
  /// `stamps` as device_marks does.
  marked_sampler(int device, const std::vector<std::pair<std::string, std::string>>& values,
                 std::uint32_t max_samples, std::size_t stamps = 0);

  const std::vector<std::string>& keys() const { return keys_; }
  const std::optional<std::string>& why_not() const { return why_not_; }
  const device_marks& marks() const { return marks_; }

  /// How long the marker is where samples are that far apart.
  static std::uint64_t marker_ns(std::uint64_t interval_ns) { return 10 * interval_ns; }

  /// Enqueues idle time and the marker on the stream, then runs `work`, which waits for the stream. Throws
  /// counters_unavailable, or what `work` throws.
  clocked_samples sample(cudaStream_t, std::uint64_t interval_ns, std::uint64_t idle_ns,
                         const std::function<void()>& work);

 private:
  device_marks marks_;
  std::vector<std::string> keys_;
  std::unique_ptr<pm_sampler> sampler_;
  std::optional<std::string> why_not_;
};

}  // namespace ablate
