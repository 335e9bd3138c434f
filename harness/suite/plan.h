#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/counters/pass_plan.h"
#include "harness/device/chip.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What is known of one case before it runs.
struct planned_case {
  suite_case what;
  std::string status;            ///< to_measure, not_applicable, input_missing, or failed (a broken file)
  std::string reason;            ///< one line; empty for to_measure
  std::size_t device_bytes = 0;  ///< buffers (all copies, for rotating) plus the cache flush's
  bool fits = true;              ///< in the chip's memory
  double seconds = 0;            ///< estimated
};

/// What a suite would take on a chip, which need not be present.
struct plan {
  const chip* on = nullptr;
  std::vector<planned_case> cases;
  std::map<std::string, pass_plan> counters;  ///< by set, for the cases to be measured; no entry for "none"
  std::optional<pass_plan> sampled;  ///< for the cases whose forwards are sampled; nothing without any

  std::size_t count(const std::string& status) const;
  double seconds() const;
  /// The case that needs the most device memory; null if none is to be measured.
  const planned_case* largest() const;
};

/// The number of copies of `bytes` of buffers that `rotating` cycles through: together more than three times
/// the L2.
std::size_t rotating_copies(std::size_t bytes, std::size_t l2_bytes);

/// Device memory that a case needs: its buffers and, for cold-clean, the two regions of twice the L2's size
/// for the flush.
std::size_t device_bytes(std::size_t buffer_bytes, cache_state, const chip&);

/// Throws bad_input as `expand` does. A point file that is missing, broken or too small is not an error: only
/// the cases that read it are lost.
plan make_plan(const suite&, const chip&, const input_library&, const std::string& filter = "");

nlohmann::ordered_json to_json(const plan&, const suite&);

/// Human-readable: counts, memory, time, and why cases are not measured.
std::string to_text(const plan&, const suite&);

/// "141.0 GB", "52.4 MB", "12 bytes"
std::string bytes_text(std::size_t);

/// "3 min 05 s", "12 s"
std::string seconds_text(double);

}  // namespace ablate
