#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate {
class launcher;
}

namespace ablate::compression_attention {

/// Rows in blocks: each 128 query rows in turn attend to those of the 64 key rows in turn whose bits are set,
/// and to what follows the rows in blocks (block_sparse_selection.h makes such bits). Query rows after
/// them attend to all.
struct kept_blocks {
  static constexpr int queries = 128, keys = 64;

  const std::uint32_t* bits = nullptr;   ///< [heads][query_blocks()][words()]; null: all rows attend to all
  const std::int32_t* counts = nullptr;  ///< [heads][query_blocks()]: set bits
  std::int64_t rows = 0;                 ///< the first rows, in blocks; the last block may be shorter

  ABLATE_ON_BOTH std::int64_t query_blocks() const { return (rows + queries - 1) / queries; }
  ABLATE_ON_BOTH std::int64_t key_blocks() const { return (rows + keys - 1) / keys; }
  ABLATE_ON_BOTH std::int64_t words() const { return (key_blocks() + 31) / 32; }
  ABLATE_ON_BOTH bool attends(std::int64_t head, std::int64_t query, std::int64_t key) const {
    if (bits == nullptr || query >= rows || key >= rows) return true;
    const std::int64_t block = key / keys;
    return (bits[(head * query_blocks() + query / queries) * words() + block / 32] >> block % 32 & 1) != 0;
  }

  // Key rows as they are met, 64 at a time: key blocks, then those after them.
  ABLATE_ON_BOTH std::int64_t boxes(std::int64_t all_rows) const {
    return key_blocks() + (all_rows - rows + keys - 1) / keys;
  }
  ABLATE_ON_BOTH std::int64_t box_of(std::int64_t key) const {
    return key < rows ? key / keys : key_blocks() + (key - rows) / keys;
  }
  ABLATE_ON_BOTH std::int64_t first_of_box(std::int64_t box) const {
    return box < key_blocks() ? box * keys : rows + (box - key_blocks()) * keys;
  }
};

/// Rows of q and k as whole numbers of 8 bits, for products by integer tensor cores, as Block-Sparse
/// attention's own kernels have them (SageAttention, arXiv 2410.02367). With m the mean of all rows of k in a
/// head, in fp32:
///   q ≈ number · scale of its query block, k − m ≈ number · scale of its box,
/// a scale being the greatest |x| there over 127, numbers rounded to the nearest. What m takes from a query's
/// scores is the same for all keys, so that softmax does not see it; the log-sum-exp gets it back.
struct int8_rows {
  std::int8_t *q = nullptr, *k = nullptr;  ///< [heads][rows][64]; null: products are of bf16
  float* q_scales = nullptr;               ///< [heads][query blocks]
  float* k_scales = nullptr;               ///< [heads][boxes]
  float* offsets = nullptr;                ///< [heads][rows]: q·m / √64, of rows in query blocks
};

ABLATE_ON_BOTH inline float int8_scale(float greatest) { return greatest / 127; }
/// `greatest`: of the |x| that share a scale; beyond it numbers are cut.
ABLATE_ON_BOTH inline int int8_number(float x, float greatest) {
  if (!(greatest > 0x1p-100f)) return 0;
  const float number = rintf(x * (127 / greatest));
  return static_cast<int>(number > 127 ? 127 : number < -127 ? -127 : number);
}

/// How rows become such.
struct quantization {
  std::int64_t heads = 1, rows = 0;
  kept_blocks blocks;                              ///< its bits are not read
  const std::uint16_t *q = nullptr, *k = nullptr;  ///< bf16 [heads][rows][64]
  float* sums = nullptr;                           ///< [heads][chunks()][64]: of k
  float* mean = nullptr;                           ///< [heads][64]: m
  int8_rows to;

  static constexpr std::int64_t rows_of_chunk = 1024;
  std::int64_t chunks() const { return (rows + rows_of_chunk - 1) / rows_of_chunk; }
  /// Rows of q that are quantized: those in query blocks, and what follows them in the last one.
  ABLATE_ON_BOTH std::int64_t query_rows() const {
    const std::int64_t whole = blocks.query_blocks() * kept_blocks::queries;
    return whole < rows ? whole : rows;
  }
};
void quantize(launcher&, const quantization&);

}  // namespace ablate::compression_attention
