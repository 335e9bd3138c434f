#pragma once

#include <optional>

#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

constexpr std::int64_t slice_points = 512;

/// How near to each other neighbors in the orders are: the mean over the orders' slices of slice_points of
/// the RMS distance of a slice's points to their center, in grid cells (specification: flash3d §1.9). Slices
/// with points of two instances do not count, as in psh_bucket; nothing where none does or nothing was
/// sorted. Of a problem with host pointers.
std::optional<double> locality_rms_of(const problem&);

}  // namespace ablate::serialize
