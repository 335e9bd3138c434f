#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// The buffers of a problem, in order.
enum place {
  coordinates,
  ends,
  probe_steps,
  features,
  bucket_id,
  bucket_off,
  bucket_count,
  bucket_end,
  scattered,
  source,
  scattered_features,
  scratch,
  events,
  key_bits,
  tickets,
  places
};

std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::psh_bucket
