#pragma once

#include <optional>

#include "harness/runner/buffers.h"

namespace ablate {

/// What launches left in a case's outputs on a device, to be compared with the oracle and with what the first
/// launch left.
class found_outputs {
 public:
  virtual ~found_outputs() = default;

  /// The edition of their inputs (workload::editions); 0: the original contents.
  virtual std::uint64_t edition() const { return 0; }
  /// Host memory for a copy.
  virtual host_outputs room() const = 0;
  virtual void copy_to(host_outputs&) const = 0;
  /// Keeps a copy on the device, if it has memory to spare, for `are_kept`.
  virtual void keep() const = 0;
  /// Whether they are, byte by byte, what was kept; false if nothing was.
  virtual bool are_kept() const = 0;
  /// Keeps a copy on the device of the results that never leave it, if it has memory to spare.
  virtual void keep_results() const {}
  /// How many of their bytes are others than those; nothing if there was no room for them.
  virtual std::optional<differing_bytes> changed_results() const { return differing_bytes{}; }
};

}  // namespace ablate
