#pragma once

#include <filesystem>

#include "harness/inputs/files/point_records.h"

namespace ablate {

/// Whether this build has libzip, which reads .npz files.
bool has_zip();

/// Point clouds in NumPy's .npz files, stored or deflated: the array named `points`, or the only one, which
/// is as an .npy file's (npy_file.h). Throws bad_input if the file is no such archive, has several arrays and
/// none named `points`, or is packed in another way, and as open_npy does; visiting also does if the packed
/// data is broken.
held_points open_npz(const std::filesystem::path&);

}  // namespace ablate
