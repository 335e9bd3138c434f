#pragma once

#include <cstddef>
#include <vector>

#include "harness/registry/operation.h"

namespace ablate {

/// The byte that poisons an output before a run.
constexpr int poison_byte = 0xA5;

/// The bytes of all buffers of a case, but for its instruments and what only its check has.
std::size_t footprint(const std::vector<buffer>&);

/// The `memory` of a case's entry in the record: those bytes together and, where there are some, by buffer.
nlohmann::ordered_json memory_json(const std::vector<buffer>&);

/// The `check` of a case's entry in the record: outputs that were right before and after timing, and outputs
/// that a gate compares elsewhere.
nlohmann::ordered_json checked_json(double max_error, double changed_share);
nlohmann::ordered_json not_checked_json();

/// Host memory for each buffer that a check reads; the others have none.
class host_outputs {
 public:
  explicit host_outputs(const std::vector<buffer>&);
  void* at(std::size_t index) { return storage_[index].data(); }
  /// What workload::check takes: null unless the buffer is an output.
  std::vector<const std::byte*> pointers() const;

  /// Remembers what stands there now.
  void remember() { remembered_ = storage_; }
  /// What share of all bytes are others than those remembered; of no bytes, none.
  double changed_share() const;

 private:
  std::vector<std::vector<std::byte>> storage_, remembered_;
};

}  // namespace ablate
