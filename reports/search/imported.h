#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <vector>

#include "reports/search/space.h"

namespace ablate::search {

/// Times that another program measured. They order points and are shown; no verdict rests on them.
struct imported_times {
  std::filesystem::path file;
  std::size_t configurations = 0;
  std::size_t invalid = 0;                ///< that the file calls wrong, or that have no time
  std::size_t elsewhere = 0;              ///< no point here has these values
  std::map<std::size_t, double> us = {};  ///< by point, the least

  std::vector<std::size_t> fastest(std::size_t count) const;
};

/// Results in the T4 format, as Kernel Tuner and others write them. A configuration is the point with exactly
/// its values, or the one that its `point` names; a switch that it leaves out is off. Times without a unit
/// are in the file's `timeunit`, or milliseconds. Throws bad_input.
imported_times read_t4(const std::filesystem::path&, const space&);

}  // namespace ablate::search
