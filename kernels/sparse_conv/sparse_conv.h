#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/common/bias.h"
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

/// What the check compares, in this order.
enum result { y_rows, x_gradient_rows, weight_gradient_rows, bias_gradient_row, results };

/// By how much an element may be off: what sums in fp32 are off by, and the rounding to bf16, if it is
/// rounded. `noise`: the Euclidean norm of the products that it is the sum of. Their sums in tensor cores,
/// whose additions truncate, are off by at most 2^-23 of a partial sum for each of up to 900 steps, so 2^-13;
/// one product of 27 · 512 that is missing is 2^-7 of the noise.
constexpr double accepted_of_noise = 0x1p-12, accepted_of_bf16 = 0x1.02p-8;
ABLATE_ON_BOTH constexpr bool is_bf16(int of) { return of == y_rows || of == x_gradient_rows; }
ABLATE_ON_BOTH constexpr double tolerance_of(bool rounds, double expected, double noise) {
  const double magnitude = expected < 0 ? -expected : expected;
  return accepted_of_noise * noise + (rounds ? accepted_of_bf16 * magnitude : 0);
}

/// What is expected of an element, and its tolerance.
struct expectation {
  float value, tolerance;
};

/// How far a result's elements are off, in what is accepted.
struct deviation {
  unsigned long long elements;  ///< compared
  unsigned long long over;      ///< with an error above 1, or NaN
  /// The greatest error's bits above the inverted index of its element, the first on ties.
  unsigned long long greatest;
  float expected, seen;   ///< of that element
  double squared_errors;  ///< of those that are finite
  signed_errors signs;    ///< an element a unit
};

/// A row that the check reads directly, of a result: of Y and dX a row; of dW out channel · offsets + q.
struct sampled_row {
  std::int32_t of, row;
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

  expectation* expected = nullptr;       ///< [elements of all results], kept from the first comparison on
  std::uint32_t* is_kept = nullptr;      ///< [1], 0 before
  const sampled_row* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  deviation* found = nullptr;    ///< [results], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count][row_length], by the comparison

  ABLATE_ON_BOTH int offsets() const { return kernel * kernel * kernel; }
  int mask_words() const { return (offsets() + 31) / 32; }
  bool computes(int of) const {
    return of == y_rows            ? forward
           : of == x_gradient_rows ? input_gradient
                                   : weight_gradient && (of == weight_gradient_rows || has_bias);
  }
  /// The results as matrices: rows that are compared, and elements of each.
  ABLATE_ON_BOTH std::int64_t rows_of(int of) const {
    return of == weight_gradient_rows ? static_cast<std::int64_t>(out_channels) * offsets()
           : of == bias_gradient_row  ? 1
                                      : rows;
  }
  ABLATE_ON_BOTH int length_of(int of) const {
    return of == y_rows || of == bias_gradient_row ? out_channels : in_channels;
  }
  std::int64_t elements_of(int of) const { return computes(of) ? rows_of(of) * length_of(of) : 0; }
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

/// The oracle: a row of a result in fp64, and what its elements may be off by; from host pointers, by the
/// lists and not by the table.
struct exact_row {
  std::vector<double> out, tolerance;
};
exact_row reference_row(const problem&, const sampled_row&);

}  // namespace ablate::sparse_conv
