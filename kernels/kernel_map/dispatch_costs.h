#pragma once

// Written by scripts/fit_dispatch.py from a record of suites/dispatch_fit.json.

namespace ablate::kernel_map {

/// What a variant takes on an H200, microseconds: for a launch and whatever does not grow with the map, then
/// for each thing counted (dispatch.cpp).
struct map_cost {
  const char* variant;
  double fixed, row, probe, entry, pair, cell, cell_offset, chain;
};

constexpr map_cost map_costs[] = {
    {"flat", 25.81, 0.0001062, 6.988e-06, 1.18e-06, 4.001e-06, 0, 0, 0},
    {"flat_symmetric", 28.64, 8.705e-05, 7.169e-06, 7.351e-07, 6.834e-06, 0, 0, 0},
    {"hierarchical_bitmap", 39.15, 0.0002765, 0, 6.803e-06, 1.45e-05, 0, 0, 0},
    {"hierarchical_bitmap_symmetric", 40.63, 0.0002277, 5.977e-07, 5.735e-06, 1.107e-05, 0, 0, 0},
    {"cells", 51.02, 8.11e-05, 0, 0, 7.449e-06, 0.0005358, 1.68e-05, 0},
    {"cells_symmetric", 57.71, 4.927e-05, 0, 0, 4.043e-06, 0.0005774, 3.932e-06, 1.729},
};

}  // namespace ablate::kernel_map
