#pragma once

#include <filesystem>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Opens a point file of any format: by its first bytes, whatever its name; else by the extension, in any
/// case. `floats_per_point` is of raw records. Throws bad_input if the format is none that is read, with its
/// name and what converts it, and as the format's reader does.
held_points open_points(const std::filesystem::path&, int floats_per_point);

}  // namespace ablate
