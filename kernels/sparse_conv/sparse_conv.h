#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate {
class launcher;
}

namespace ablate::sparse_conv {

/// Sparse convolution on voxels, out rows the in rows (docs/operations/sparse_conv.md; PTv3's xCPE and stem):
///   forward          Y[j] = b + Σ_q X[T[q][j]] · W_qᵀ
///   input gradient   dX[i] = Σ_q dY[T[q'][i]] · W_q, q' = offsets − 1 − q
///   weight gradient  dW_q = Σ_(i, j) of list q dY[j]ᵀ · X[i];  db = Σ_j dY[j]
/// T[q][j] is the in row at offset q of out row j, or −1: then the term is left out. Offsets are numbered as
/// in kernel_map, so that a row's own is the middle one, and offsets q and q' are opposite: row i is at
/// offset q of row j if j is at offset q' of row i. Activations and weights are bf16, sums, bias and
/// gradients of parameters fp32; Y and dX are rounded to bf16 once.
///
/// Layers: 3³ offsets, C → C channels, with bias (xCPE); 5³, 4 → 32, without (the stem). The stem's inputs
/// are the points' own, so that it has no input gradient.

constexpr int list_tile = 64;      ///< pairs of a piece that one block multiplies
constexpr int counted_lists = 27;  ///< whose lengths the host knows
constexpr int bias_parts = 64;     ///< sums of rows that the bias' gradient is added up from
constexpr int stem_channels = 4;   ///< of the stem's inputs
constexpr int stem_outputs = 32;

/// Pairs of a list, next to each other.
struct piece {
  std::int32_t list, first, count;
  std::int32_t part;  ///< where its share of the weights' gradient waits for the sum; −1: it is all of it
};

struct problem {
  std::int64_t rows = 0;   ///< below 2^31, as are pairs
  std::int64_t pairs = 0;  ///< of all lists
  int kernel = 3;          ///< offsets along each axis: 3 or 5
  int in_channels = 32, out_channels = 32;
  bool has_bias = true;
  bool forward = true, input_gradient = false, weight_gradient = false;  ///< what is computed

  // The map, made once for all layers of a level.
  const std::int32_t* table = nullptr;   ///< T[offsets][rows]
  const std::uint32_t* masks = nullptr;  ///< [mask_words][rows]: bit q % 32 of word q / 32: T[q][j] ≥ 0
  const std::int32_t* order =
      nullptr;                         ///< [rows]: out rows sorted by mask, tiles with the most offsets first
  const std::int32_t* ends = nullptr;  ///< [offsets + 1]: 0, then the end of each list
  const std::int32_t* in_rows = nullptr;  ///< [pairs], list by list, out rows ascending in each
  const std::int32_t* out_rows = nullptr;
  std::array<std::int32_t, counted_lists + 1> known_ends{};  ///< `ends` on the host, for 3³ offsets
  const piece* tiles = nullptr;                              ///< [tile_count] of at most list_tile pairs
  std::int64_t tile_count = 0;
  const piece* splits = nullptr;  ///< [split_count] of at most pairs_of_split, for the weights' gradient
  std::int64_t split_count = 0;
  const std::int32_t* part_ends = nullptr;  ///< [offsets + 1]: of the parts of each list; none: one piece
  std::int64_t part_count = 0;

  const std::uint16_t* x = nullptr;             ///< bf16 [rows][in_channels]
  const std::uint16_t* weights = nullptr;       ///< bf16 [out_channels][offsets][in_channels] (KRSC)
  const float* bias = nullptr;                  ///< [out_channels]
  const std::uint16_t* out_gradient = nullptr;  ///< bf16 [rows][out_channels]

  std::uint16_t* y = nullptr;            ///< bf16 [rows][out_channels]
  std::uint16_t* x_gradient = nullptr;   ///< bf16 [rows][in_channels]
  float* weight_gradient_out = nullptr;  ///< as the weights
  float* bias_gradient = nullptr;        ///< [out_channels], if has_bias
  // Where each offset is a product of its own; lists have at most longest_list() pairs.
  const std::uint16_t* weights_by_offset = nullptr;  ///< the weights as [offsets][out_channels][in_channels]
  std::uint16_t* gathered = nullptr;  ///< scratch, bf16 [longest list][channels]: the rows of a list
  float* products = nullptr;          ///< scratch [longest list][channels]
  void* workspace = nullptr;          ///< scratch of the library
  float* sums = nullptr;              ///< scratch [rows][out_channels]: sums by atomics
  float* parts = nullptr;             ///< scratch [part_count][out_channels][in_channels]
  float* bias_sums = nullptr;         ///< scratch [bias_parts][out_channels]

  ABLATE_ON_BOTH int offsets() const { return kernel * kernel * kernel; }
  int mask_words() const { return (offsets() + 31) / 32; }
  std::int64_t longest_list() const {
    std::int64_t longest = 0;
    for (std::size_t q = 0; q < counted_lists; ++q) {
      const std::int64_t pairs = known_ends[q + 1] - known_ends[q];
      longest = pairs > longest ? pairs : longest;
    }
    return longest;
  }
  int row_length() const { return in_channels > out_channels ? in_channels : out_channels; }
  std::int64_t weight_count() const {
    return static_cast<std::int64_t>(out_channels) * offsets() * in_channels;
  }
};

/// Pairs of a split of a list, by which the weights' gradient is shared out: more where a part of the sum is
/// many bytes.
constexpr int pairs_of_split(int channels) { return channels >= 256 ? 1024 : 512; }

}  // namespace ablate::sparse_conv
