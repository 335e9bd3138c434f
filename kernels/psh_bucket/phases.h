#pragma once

#include <cstddef>

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

using phase_launch = void (*)(launcher&, const problem&, const switches&);

/// The kernels that a variant puts into the common pipeline.
struct placing {
  phase_launch insert = nullptr, rebalance = nullptr;  ///< null where no region of the variant has one alone
  phase_launch insert_and_rebalance =
      nullptr;  ///< both in one launch, where the problem requests both; or null
};

/// Launches the phases that the problem requests: prepare, the variant's own placing, drain or fill, scatter.
void run_phases(launcher&, const problem&, const placing&, const switches&);

/// Phase `prepare`: zeroes the counters and finds the bounding box, one kernel. `also_zero`: further words.
void prepare(launcher&, const problem&, std::uint32_t* also_zero = nullptr, std::size_t also_zero_words = 0);

/// The drain of the published modes.
void drain_bin(launcher&, const problem&);

/// Strict mode's phase `drain`: leftovers into free places. `and_scatter`: straight to their rows as well.
void fill_places(launcher&, const problem&, bool and_scatter);

/// Phase `scatter`: prefix sum, coordinates and sources.
void scatter_points(launcher&, const problem&);

/// The second part of phase `scatter`, where the problem has channels: feature rows, by `source`.
void scatter_features(launcher&, const problem&);

/// Dynamic shared memory of the placing kernel by the variant's switch `smem_request`: `needed`, `max`, or
/// kibibytes. `static_bytes`: what the kernel has beside it.
std::size_t shared_request(const launcher&, const switches&, std::size_t needed,
                           std::size_t static_bytes = 0);

}  // namespace ablate::psh_bucket
