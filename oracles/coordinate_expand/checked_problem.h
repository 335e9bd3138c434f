#pragma once

#include <cstdint>

#include "kernels/coordinate_expand/coordinate_expand.h"

namespace ablate::coordinate_expand {

/// Read back for the check.
enum figure {
  rows_found,         ///< rows of the store that the table maps to their own number
  keys_of_rows,       ///< sum of mixed(packed key) over the rows of the store, mod 2^64
  occupied_slots,     ///< of the table
  keys_of_slots,      ///< sum of mixed(packed key) over those, mod 2^64
  rows_out_of_range,  ///< rows of the store with a coordinate that a key cannot hold
  rows_out_of_place,  ///< rows whose number breaks the variant's numbering; expected: 0
  figure_count
};

struct checked_problem : problem {
  std::uint64_t* figures = nullptr;  ///< [figure_count], by sum_figures
};

}  // namespace ablate::coordinate_expand
