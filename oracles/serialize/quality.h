#pragma once

#include <optional>

#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

constexpr std::int64_t slice_points = 512;

/// slice_locality (kernels/common/locality.h) over the orders' slices of slice_points points, in grid cells.
/// Slices with points of two instances do not count, as in psh_bucket; nothing if none counts or nothing was
/// sorted. For a problem with host pointers.
std::optional<double> locality_rms_of(const problem&);

}  // namespace ablate::serialize
