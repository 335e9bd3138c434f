#pragma once

// Written by scripts/fit_dispatch.py from a record of suites/dispatch_fit.json.

namespace ablate::kernel_map {

/// What a variant takes on an H200, microseconds: for a launch and whatever does not grow with the map, then
/// for each thing counted (dispatch.cpp).
struct map_cost {
  const char* variant;
  double fixed, row, probe, entry, pair, cell, cell_offset;
};

constexpr map_cost map_costs[] = {
    {"flat", 27, 88e-6, 7.0e-6, 1.3e-6, 6.0e-6, 0, 0},
    {"flat_exchanged", 27, 88e-6, 7.0e-6, 1.3e-6, 6.0e-6, 0, 0},
    {"hierarchical_bitmap", 36, 300e-6, 0, 6.9e-6, 11e-6, 0, 0},
    {"hierarchical_bitmap_exchanged", 36, 300e-6, 0, 6.9e-6, 11e-6, 0, 0},
    {"cells", 53, 100e-6, 0, 0, 7.5e-6, 280e-6, 17.6e-6},
};

}  // namespace ablate::kernel_map
