#pragma once

#include <string>

namespace ablate {

struct point_file {
  std::string path;          ///< `data:NAME` (searched in the data directories) or a plain path
  int floats_per_point = 4;  ///< of raw records (raw_file.h); at least 3
  int sweeps = 1;  ///< how often the file's points are repeated, each time from the vehicle's next pose
};

}  // namespace ablate
