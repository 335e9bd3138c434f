#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "reports/views/speed_up.h"

namespace ablate::compare {

/// Whether these are of two products, such as an H100 and an H200: builds cannot be judged across them, but
/// which device is faster can be told.
bool are_two_kinds(const record& first, const record& second);

/// What is known of a case on one device, over all of its launches.
struct device_time {
  double median_us, low_us,
      high_us;  ///< the widest 95 % interval; of several launches of the medians' median
  std::optional<std::string> binding;  ///< floor or model: launch, bytes, atomics, …
  std::optional<double> floor_us;
};

/// A case that both devices measured, on the same input, by the same method.
struct device_pair {
  std::string name, operation, variant, cache_state, workload;  ///< the workload's label within its operation
  bool is_calibration;
  std::string ceiling;  ///< of a calibration
  device_time first, second;
  reports::speed_up faster;  ///< the first one's time over the second's: above 1, the second is faster
};

/// Variants of one workload that both devices measured.
struct device_workload {
  std::string operation, workload, cache_state;
  std::size_t variants = 0;
  double median_ratio;  ///< over the variants
  std::string fastest_on_first, fastest_on_second;
  double first_us, second_us;  ///< of the fastest ones
  std::optional<double>
      cost_of_first;  ///< what the first device's fastest takes on the second, over its fastest
};

/// Two variants, each faster on one of the devices, beyond the intervals of both.
struct rank_flip {
  std::string operation, workload, cache_state;
  std::string faster_on_first, faster_on_second;
  double on_first, on_second;  ///< how many times as fast it is there; both above 1
};

/// A case that only one of them measured, or both otherwise.
struct uncompared_case {
  std::string name, reason;
};

/// Which of two kinds of GPU is faster, where and by how much. It judges nothing.
struct device_comparison {
  std::string first_label, second_label;  ///< "H100", "H200"; a product's name where its chip is not known
  std::vector<device_pair> pairs;         ///< calibrations too, in the first record's order
  std::vector<device_workload> workloads;
  std::vector<rank_flip> flips;   ///< the clearest first
  std::size_t variant_pairs = 0;  ///< all; `flips` are those that swap places
  std::vector<uncompared_case> uncompared;
  std::vector<std::string> notes;  ///< what else differs, and what a ratio of two chips carries
};

/// Each side is one record, or several launches of one build on one device. Throws bad_input if a side is not
/// of one build and device, and if no case is in both.
device_comparison compare_devices(const std::vector<record>& first, const std::vector<record>& second);

}  // namespace ablate::compare
