#pragma once

#include <optional>

#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

constexpr std::int64_t slice_points = 512;

/// slice_locality (kernels/common/locality.h) of the orders' slices of slice_points, in grid cells. Slices
/// with points of two instances do not count, as in psh_bucket; nothing where none does or nothing was
/// sorted. Of a problem with host pointers.
std::optional<double> locality_rms_of(const problem&);

}  // namespace ablate::serialize
