#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/dense_attention/checked_problem.h"
#include "oracles/global_attention/reference.h"

namespace ablate::dense_attention {

/// What the oracle knows of one head.
struct known_rows {
  std::vector<sampled_row> samples;
  std::vector<global_attention::exact_token> out;
};
known_rows know(const checked_problem&, std::uint64_t seed);

/// All compared rows against plain arithmetic on the device, then the samples against the oracle; figures and
/// work.
workload workload_of(const checked_problem&, const std::shared_ptr<const known_rows>&);

/// Both.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::dense_attention
