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
    {"flat", 25.44, 0.0001119, 6.934e-06, 1.213e-06, 3.963e-06, 0, 0},
    {"flat_exchanged", 28.66, 9.043e-05, 7.02e-06, 9.994e-07, 6.687e-06, 0, 0},
    {"hierarchical_bitmap", 40.47, 0.0002722, 0, 6.773e-06, 1.455e-05, 0, 0},
    {"hierarchical_bitmap_exchanged", 41.22, 0.0002261, 4.574e-07, 6.009e-06, 1.1e-05, 0, 0},
    {"cells", 50.78, 8.26e-05, 0, 0, 7.468e-06, 0.0005372, 1.68e-05},
};

}  // namespace ablate::kernel_map
