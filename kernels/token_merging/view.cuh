#pragma once

#include <type_traits>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/token_merging/token_merging.h"

namespace ablate::token_merging {

constexpr int block_threads = 256;
/// Rows of a head move by pieces of 16 bytes, a lane each.
constexpr int piece_elements = 8, pieces_of_row = width / piece_elements;

/// The problem as passed to a kernel.
struct view {
  token_partition layout;
  const std::int32_t *source_tokens, *destination_tokens, *appended_tokens, *places;
  const std::uint16_t* x;  ///< what is multiplied
  std::int32_t* best;
  float* similarity;
  int heads, channels, match_channels, sources, destinations, appended;
  long long tokens, attending;
  const std::uint16_t* in[tensors];
  std::uint16_t* merged[tensors];
  const std::uint16_t* attended;
  std::uint16_t* out;

  explicit view(const problem& p)
      : layout(p.layout),
        source_tokens(p.source_tokens),
        destination_tokens(p.destination_tokens),
        appended_tokens(p.appended_tokens),
        places(p.places),
        x(p.metric == metric::channels ? p.x : p.metric_rows),
        best(p.best),
        similarity(p.similarity),
        heads(static_cast<int>(p.heads)),
        channels(static_cast<int>(p.channels())),
        match_channels(static_cast<int>(p.match_channels())),
        sources(static_cast<int>(p.sources)),
        destinations(static_cast<int>(p.destinations)),
        appended(static_cast<int>(p.appended)),
        tokens(p.tokens()),
        attending(p.attending()),
        attended(p.attended),
        out(p.out) {
    for (int i = 0; i < tensors; ++i) {
      in[i] = p.in[i];
      merged[i] = p.merged[i];
    }
  }

  __device__ const std::uint16_t* x_row(int token) const {
    return x + static_cast<long long>(token) * match_channels;
  }
};

/// Eight elements of bf16.
__device__ inline void widen(const uint4& piece, float (&to)[piece_elements]) {
  const unsigned words[] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}
__device__ inline uint4 narrowed(const float (&from)[piece_elements]) {
  const auto pair = [&](int i) {
    return static_cast<unsigned>(bf16_of(from[2 * i])) | static_cast<unsigned>(bf16_of(from[2 * i + 1]))
                                                             << 16;
  };
  return {pair(0), pair(1), pair(2), pair(3)};
}

/// The piece of a row that a thread of a grid has: rows of all heads, eight lanes a row.
struct row_piece {
  long long row;  ///< of all heads
  int piece;

  __device__ row_piece() {
    const long long thread = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
    row = thread / pieces_of_row;
    piece = static_cast<int>(thread % pieces_of_row);
  }
};
inline dim3 grid_of_pieces(long long rows, unsigned others = 1) {
  return {blocks_for(rows * pieces_of_row, block_threads), others, 1};
}
template <class T>
__device__ auto* piece_of(T* rows, long long row, int piece) {
  using piece_type = std::conditional_t<std::is_const_v<T>, const uint4, uint4>;
  return reinterpret_cast<piece_type*>(rows + row * width) + piece;
}

/// A destination and its product; the greater one, of equal ones the first.
struct match {
  float similarity;
  int destination;

  __device__ bool is_before(const match& other) const {
    return similarity > other.similarity ||
           (similarity == other.similarity && destination < other.destination);
  }
};

/// Rows of metric::mean_of_heads, where tokens are matched by them.
void make_metric_rows(launcher&, const problem&);

}  // namespace ablate::token_merging
