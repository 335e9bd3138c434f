#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/counters/metric_groups.h"
#include "harness/counters/unavailable.h"

namespace ablate {

/// CUPTI's host half for one list of metrics on one silicon: needs neither a GPU nor a driver. Every member
/// throws counters_unavailable.
class counter_host {
 public:
  /// `availability` is the device's own image of what it can count; empty without a device.
  counter_host(counter_group::profiler, const std::string& silicon, std::vector<std::string> metrics,
               std::span<const std::uint8_t> availability = {});
  ~counter_host();
  counter_host(counter_host&&) noexcept;

  const std::vector<std::string>& metrics() const;
  /// As CUPTI takes them.
  const std::vector<const char*>& metric_names() const;
  const std::vector<std::uint8_t>& config_image() const;
  std::size_t passes() const;

  /// The metrics' values, in their order, of one range or sample of decoded counter data; not a number where
  /// the hardware gave none.
  std::vector<double> evaluate(std::span<const std::uint8_t> counter_data, std::size_t index) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The names that CUPTI knows on a silicon, without what follows their first dot. Throws
/// counters_unavailable.
std::vector<std::string> base_metrics(const std::string& silicon);

}  // namespace ablate
