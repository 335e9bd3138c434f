#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/on_both.h"
#include "kernels/compression_attention/int8_rows.h"

namespace ablate::compression_attention {

/// The compression branch of gated sparse attention with its choice of blocks
/// (docs/operations/compression_attention.md; Speed3R, supplement, §1.1). Every block of tokens is pooled
/// into one row of q, k and v; per head, A = q·kᵀ without scale, O = softmax(A / √64)·v. Besides, each row
/// lists the key rows with its `selected` greatest A: by descending A, equal ones by ascending row. These are
/// the key blocks that the selection branch attends to at full resolution.
///
/// A score of NaN or −∞ is never listed; where a row has fewer scores than places, the rest holds −1. NaN and
/// infinities reach O and the log-sum-exp as in window_attention.h.
///
/// The first `first_listed` key rows are attended to as all others are, and never listed: they are the blocks
/// of the first frame, which the selection branch attends to anyway (first_frame::forced).

constexpr int width = 64;  ///< elements of a head
constexpr int tile_queries = 128, tile_keys = 64;
constexpr int max_selected = 64;  ///< places in a list: two a lane

/// What scores are to each other where lists are made: numbers of fp32; or these rounded down to bf16, so
/// that more of them tie. Then lists have at most 32 places, and there are at most 2^16 rows.
enum class comparison { fp32, bf16 };

struct problem {
  std::int64_t rows = 0;  ///< pooled rows: tokens / block; with lists at most 2^18
  std::int64_t heads = 1;
  std::int64_t first_query = 0, queries = 0;  ///< attention alone: only these rows attend; 0 queries: all do
  std::int64_t keys = 0;                      ///< attention alone: to so many rows, the first; 0: to all
  std::int64_t rows_of_keys = 0;              ///< attention alone: k and v have so many rows; 0: `rows`
  kept_blocks kept;                           ///< attention alone
  bool multiplies_int8 = false;  ///< attention to kept blocks alone: rows in blocks attend by `int8`
  int8_rows int8;
  int selected = 32;      ///< entries of a list, at most max_selected
  bool lists = true;      ///< false: attention alone, no lists
  bool by_index = false;  ///< entries ascend by key row instead
  comparison compared = comparison::fp32;
  std::int64_t first_listed = 0;  ///< key rows below it are in no list

  const std::uint16_t *q = nullptr, *k = nullptr,
                      *v = nullptr;  ///< bf16 [heads][rows][64]; k, v: of key_stride()
  std::uint16_t* out = nullptr;      ///< bf16 [heads][rows][64]
  float* lse = nullptr;              ///< [heads][rows]: ln Σ exp of the row's scaled scores
  std::int32_t* table = nullptr;     ///< [heads][rows][selected]: key rows
  void* scratch = nullptr;           ///< scratch_bytes(problem): scores, for variants that write them

  /// Up to a whole tile of keys.
  ABLATE_ON_BOTH std::int64_t padded_rows() const {
    return (attended_rows() + tile_keys - 1) / tile_keys * tile_keys;
  }
  /// Rows of a head in the memory of k and v.
  ABLATE_ON_BOTH std::int64_t key_stride() const { return rows_of_keys > 0 ? rows_of_keys : rows; }
  ABLATE_ON_BOTH std::int64_t attended_rows() const { return keys > 0 ? keys : key_stride(); }
  ABLATE_ON_BOTH std::int64_t elements() const { return heads * rows * width; }
  ABLATE_ON_BOTH std::int64_t attending_rows() const { return queries > 0 ? queries : rows; }
};

/// Bytes of device memory that a variant which writes scores takes: a chunk of rows at a time.
std::size_t scratch_bytes(const problem&);
/// Rows of a chunk, of every head; a multiple of 128.
std::int64_t rows_of_chunk(const problem&);

}  // namespace ablate::compression_attention
