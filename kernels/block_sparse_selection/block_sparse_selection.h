#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate::block_sparse_selection {

/// The choice of Block-Sparse attention, without training (docs/operations/block_sparse_selection.md; "Faster
/// VGGT with Block-Sparse Global Attention", arXiv 2509.07120): which key blocks each query block attends to.
/// Queries are pooled by blocks of 128 tokens, keys by blocks of 64, and per head, with S = q̄·k̄ᵀ and P =
/// softmax of the rows of S / √64, a row keeps its key blocks in descending order of S, equal ones by
/// ascending number, as many as the greatest of:
/// - the fewest whose P add up to `mass_percent` of all;
/// - `kept_percent` of all key blocks, rounded down;
/// - one.
///
/// The result is a bitmap, a bit for each key block, and how many a row keeps: rows are of any length, and a
/// kernel that attends to them walks the bits in order. Bits past the last key block are 0.
///
/// Scores are fp32 sums in the order of the elements, and P are whole multiples of 2^-40 of the greatest, so
/// that sums of them are exact: all variants keep the same. Inputs have to be finite.

constexpr int width = 64;  ///< elements of a head
constexpr int query_block = 128, key_block = 64;
/// Key blocks of a row that fit shared memory as fp32 twice, on each chip: 1024 images and a few.
constexpr std::int64_t max_keys = 18432;

struct problem {
  std::int64_t queries = 0, keys = 0;  ///< blocks of a head; keys at most max_keys
  std::int64_t heads = 1;
  int mass_percent = 70, kept_percent = 50;  ///< mass: at most 99

  const std::uint16_t *q = nullptr, *k = nullptr;  ///< bf16 [heads][queries][64], [heads][keys][64]
  std::uint32_t* kept = nullptr;                   ///< [heads][queries][words()]: bit j % 32 of word j / 32
  std::int32_t* counts = nullptr;                  ///< [heads][queries]
  void* scratch = nullptr;                         ///< scratch_bytes(problem): scores, where they are sorted

  ABLATE_ON_BOTH std::int64_t rows() const { return heads * queries; }
  ABLATE_ON_BOTH std::int64_t pairs() const { return rows() * keys; }
  ABLATE_ON_BOTH std::int64_t words() const { return (keys + 31) / 32; }
  /// Key blocks that a row keeps whatever their mass.
  ABLATE_ON_BOTH int least_kept() const {
    const std::int64_t by_percent = keys * kept_percent / 100;
    return by_percent > 1 ? static_cast<int>(by_percent) : 1;
  }
};

/// Memory of the variant that sorts: of one head, which follow each other.
struct sort_scratch {
  std::uint32_t *scores, *sorted_scores;  ///< [queries][keys]: order-preserving images
  std::int32_t *numbers, *sorted_numbers;
  std::byte* temporary;  ///< of cub's sort
  std::size_t temporary_bytes;
};
sort_scratch cut_scratch(const problem&, std::size_t* bytes = nullptr);
std::size_t scratch_bytes(const problem&);

}  // namespace ablate::block_sparse_selection
