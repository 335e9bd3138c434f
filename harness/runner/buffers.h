#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/record/record.h"
#include "harness/inputs/host_bytes.h"
#include "harness/registry/cache_state.h"
#include "harness/registry/operation.h"

namespace ablate {

/// The byte that fills a buffer before each launch, if any.
std::optional<int> reset_byte(const buffer&);

/// The total bytes of a case's buffers, excluding its instruments and the buffers only its check uses.
std::size_t footprint(const std::vector<buffer>&);

/// How many sets of its buffers a case takes: rotating cycles through enough that none is still in L2 when
/// its turn comes again.
std::size_t buffer_sets(cache_state, const std::vector<buffer>&, std::size_t l2_bytes);

/// The `memory` of a case's entry in the record: those bytes in total and, for non-empty buffers, by buffer.
measured_case::device_memory_use memory_of(const std::vector<buffer>&);

/// Some of these bytes differ.
struct differing_bytes {
  std::uint64_t differing = 0, all = 0;

  double share() const {
    return differing == 0 ? 0 : static_cast<double>(differing) / static_cast<double>(all);
  }
};

/// Host memory for each buffer that a check reads; none for the others.
class host_outputs {
 public:
  explicit host_outputs(const std::vector<buffer>&);
  void* at(std::size_t index) { return storage_[index].data(); }
  /// The argument of workload::check: null unless the check reads the buffer.
  std::vector<const std::byte*> pointers() const;

  /// Byte by byte.
  bool operator==(const host_outputs&) const;
  /// How many bytes of what a variant wrote differ from `other`, outputs of the same buffers. What the
  /// read-back found is left out: sums over many errors come in any order.
  differing_bytes unlike(const host_outputs& other) const;

 private:
  std::vector<host_bytes> storage_;
  std::vector<bool> is_found_;  ///< by the read-back
};

}  // namespace ablate
