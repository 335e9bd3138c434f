#pragma once

#include <cstdint>
#include <vector>

#include "harness/inputs/input_library.h"
#include "harness/registry/axis.h"

namespace ablate::backbone {

/// The points at these axes as fp16, meters, instance after instance. Throws as pool's scene_at does, and
/// input_unfit for coordinates that fp16 does not hold.
std::vector<std::uint16_t> coordinates_at(const axis_values&, const input_library&);

/// Of each instance, cumulative; kept for generated clouds, which are the same each time.
std::vector<std::uint32_t> ends_at(const axis_values&, const input_library&);

}  // namespace ablate::backbone
