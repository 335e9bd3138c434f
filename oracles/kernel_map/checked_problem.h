#pragma once

#include <cstdint>

#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

struct checked_problem : problem {
  std::uint64_t* digest =
      nullptr;  ///< [digests], by sum_digests: per offset, the sum of mixed(in row << 32 | out row) over the
                ///< list, mod 2^64; undefined for a list that ends beyond the capacity. Masks have no in rows
                ///< and use 2^32 − 1. With two tables, digests of the last one, then of T

  bool has_table_behind_dense() const { return wanted == output::masks || wanted == output::reverse; }
  int digests() const { return has_table_behind_dense() ? 2 * offsets() : offsets(); }
};

}  // namespace ablate::kernel_map
