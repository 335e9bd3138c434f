#pragma once

#include <cstddef>
#include <string>

#include "harness/version.h"

namespace ABLATE_ABI {

/// A buffer's role in the operation.
enum class buffer_role {
  input,    ///< filled from the workload's contents, never written by a variant
  output,   ///< written by a variant, compared with the oracle
  scratch,  ///< a variant's workspace
  /// Written by a variant and too large for the host: the read-back compares it on the device.
  result,
  finding,  ///< written by the read-back, for the check: how far results are off, and samples of them
  /// Kept on the device for the check; what must be zero before the first one says zeros_once. Not part of
  /// the case's memory, and allocated once however many sets of buffers a case has (zero bytes in the other
  /// sets: only the first is checked).
  reference,
  instruments  ///< event counts of the instrumented kernel; null when the case is timed
};

/// A buffer's contents before each launch of a variant (set outside the timed region).
enum class buffer_reset {
  none,        ///< left as is
  zeros,       ///< the variant accumulates into it
  poison,      ///< kernels/common/poison.h: exposes a variant that fails to write
  background,  ///< poison that the check expects wherever a variant has nothing to write
  zeros_once   ///< zeroed before the first launch; each launch leaves the state that the next one expects
};

struct buffer {
  std::string name;
  std::size_t bytes = 0;
  buffer_role role = buffer_role::input;
  buffer_reset reset = buffer_reset::none;

  /// Whether workload::check reads it, on the host.
  bool is_checked() const { return role == buffer_role::output || role == buffer_role::finding; }
};

}  // namespace ABLATE_ABI
