#pragma once

#include <string>
#include <vector>

namespace ablate::best {

/// Something that is asked for, as on the command line: `points=300000`, `distribution=lidar,uniform`. The
/// names `operation`, `variants` and `cache` stand beside the axes.
struct asked_values {
  std::string name;
  std::vector<std::string> values;
};

/// Throws bad_input for a word that is not NAME=VALUE[,VALUE…], and for a name given twice.
std::vector<asked_values> asked_of(const std::vector<std::string>& words);

}  // namespace ablate::best
