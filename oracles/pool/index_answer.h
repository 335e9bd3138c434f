#pragma once

#include <cstdint>
#include <vector>

#include "kernels/pool/pool.h"

namespace ablate::pool {

/// Consecutive rows that are pooled together in bucket order.
struct row_block {
  int instance;
  std::uint32_t first, points, first_cluster, clusters;
};
std::vector<row_block> blocks_of(const problem&);

/// The cell of each of a block's rows, by the oracle.
std::vector<std::uint16_t> cells_of_block(const problem&, const row_block&);

/// The index by the oracle: stable, blocks in order, numbered along the first curve. The three steps take
/// rows one after the other.
struct index_answer {
  std::vector<std::int32_t> count;
  std::vector<std::uint32_t> start, member, cluster;
  std::vector<std::uint16_t> cell;  ///< in buckets: of each row

  std::int64_t rows() const { return count.back(); }
};
index_answer answer_of(const problem&);

/// A code in the coarser grid, and the instance of such a code.
inline std::uint64_t coarse_code(const problem& p, int curve, std::int64_t row) {
  return p.codes[curve * p.pitch() + row] >> 3 * p.shift;
}
inline int instance_of_code(const problem& p, std::uint64_t coarse) {
  return static_cast<int>(coarse >> 3 * (p.depth - p.shift));
}

}  // namespace ablate::pool
