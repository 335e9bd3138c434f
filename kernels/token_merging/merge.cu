// Merges q, k and v: means of destinations and their sources, and the protected tokens after them.
//   `sums=atomics`, as published: sums in memory, fp32, begin with the destinations' rows; sources are added
// by atomics; a last pass divides.
//   `sums=chains`: sources of a destination are linked to a chain, an exchange each, and eight lanes a row
// walk it and add up in registers. No sums in memory, but rows come one after the other: a popular
// destination has a long chain.
// Should move: DRAM bytes,
// from 12 an element of sums more than what is read and written, to none.
#include "kernels/token_merging/launches.h"
#include "kernels/token_merging/view.cuh"

namespace ablate::token_merging {

/// blockIdx.y: tensor, also below. Rows: destinations of all heads.
__global__ __launch_bounds__(block_threads) void begin_sums(const __grid_constant__ view v,
                                                            merge_scratch scratch) {
  const row_piece at;
  if (at.row >= static_cast<long long>(v.heads) * v.destinations) return;
  const int which = static_cast<int>(blockIdx.y);
  const auto head = at.row / v.destinations, destination = at.row % v.destinations;
  float elements[piece_elements];
  widen(*piece_of(v.in[which], head * v.tokens + v.destination_tokens[destination], at.piece), elements);
  float* const sums = scratch.sums +
                      (static_cast<long long>(which) * v.heads * v.destinations + at.row) * width +
                      at.piece * piece_elements;
#pragma unroll
  for (int i = 0; i < piece_elements; ++i) sums[i] = elements[i];
  if (which == 0 && head == 0 && at.piece == 0) scratch.counts[destination] = 1;
}

/// Rows: sources of all heads.
__global__ __launch_bounds__(block_threads) void add_sources(const __grid_constant__ view v,
                                                             merge_scratch scratch) {
  const row_piece at;
  if (at.row >= static_cast<long long>(v.heads) * v.sources) return;
  const int which = static_cast<int>(blockIdx.y);
  const auto head = at.row / v.sources, source = at.row % v.sources;
  const int token = v.source_tokens[source];
  if (v.layout.is_protected(token)) return;
  const int destination = v.best[source];
  float elements[piece_elements];
  widen(*piece_of(v.in[which], head * v.tokens + token, at.piece), elements);
  float* const sums =
      scratch.sums +
      ((static_cast<long long>(which) * v.heads + head) * v.destinations + destination) * width +
      at.piece * piece_elements;
#pragma unroll
  for (int i = 0; i < piece_elements; ++i) atomicAdd(sums + i, elements[i]);
  if (which == 0 && head == 0 && at.piece == 0) atomicAdd(scratch.counts + destination, 1);
}

/// The row of a protected token, after the destinations.
__device__ inline void copy_appended(const view& v, int which, long long head, long long row, int piece) {
  const int token = v.appended_tokens[row - v.destinations];
  *piece_of(v.merged[which], head * v.attending + row, piece) =
      *piece_of(v.in[which], head * v.tokens + token, piece);
}

/// Rows: what attends, of all heads.
__global__ __launch_bounds__(block_threads) void finish_sums(const __grid_constant__ view v,
                                                             merge_scratch scratch) {
  const row_piece at;
  if (at.row >= v.heads * v.attending) return;
  const int which = static_cast<int>(blockIdx.y);
  const auto head = at.row / v.attending, row = at.row % v.attending;
  if (row >= v.destinations) return copy_appended(v, which, head, row, at.piece);
  const float* const sums =
      scratch.sums + ((static_cast<long long>(which) * v.heads + head) * v.destinations + row) * width +
      at.piece * piece_elements;
  const auto count = static_cast<float>(scratch.counts[row]);
  float means[piece_elements];
#pragma unroll
  for (int i = 0; i < piece_elements; ++i) means[i] = sums[i] / count;
  *piece_of(v.merged[which], at.row, at.piece) = narrowed(means);
}

__global__ __launch_bounds__(block_threads) void clear_chains(const __grid_constant__ view v,
                                                              merge_scratch scratch) {
  const long long i = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  if (i < v.destinations) scratch.first[i] = -1;
}

__global__ __launch_bounds__(block_threads) void link_sources(const __grid_constant__ view v,
                                                              merge_scratch scratch) {
  const long long source = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  if (source >= v.sources || v.layout.is_protected(v.source_tokens[source])) return;
  scratch.next[source] = atomicExch(scratch.first + v.best[source], static_cast<int>(source));
}

/// Rows: what attends, of all heads.
__global__ __launch_bounds__(block_threads) void walk_chains(const __grid_constant__ view v,
                                                             merge_scratch scratch) {
  const row_piece at;
  if (at.row >= v.heads * v.attending) return;
  const int which = static_cast<int>(blockIdx.y);
  const auto head = at.row / v.attending, row = at.row % v.attending;
  if (row >= v.destinations) return copy_appended(v, which, head, row, at.piece);
  float sums[piece_elements];
  widen(*piece_of(v.in[which], head * v.tokens + v.destination_tokens[row], at.piece), sums);
  int count = 1;
  for (int source = scratch.first[row]; source >= 0; source = scratch.next[source]) {
    float elements[piece_elements];
    widen(*piece_of(v.in[which], head * v.tokens + v.source_tokens[source], at.piece), elements);
#pragma unroll
    for (int i = 0; i < piece_elements; ++i) sums[i] += elements[i];
    ++count;
  }
#pragma unroll
  for (float& sum : sums) sum /= static_cast<float>(count);
  *piece_of(v.merged[which], at.row, at.piece) = narrowed(sums);
}

void merge(launcher& to, const problem& p, const switches& s) {
  const view v(p);
  const merge_scratch scratch = cut_scratch(p);
  const dim3 threads(block_threads);
  if (s.word("sums") == "chains") {
    launch(to, clear_chains, dim3(blocks_for(v.destinations, block_threads)), threads, 0, v, scratch);
    launch(to, link_sources, dim3(blocks_for(v.sources, block_threads)), threads, 0, v, scratch);
    launch(to, walk_chains, grid_of_pieces(v.heads * v.attending, tensors), threads, 0, v, scratch);
  } else {
    const auto heads = static_cast<long long>(v.heads);
    launch(to, begin_sums, grid_of_pieces(heads * v.destinations, tensors), threads, 0, v, scratch);
    launch(to, add_sources, grid_of_pieces(heads * v.sources, tensors), threads, 0, v, scratch);
    launch(to, finish_sums, grid_of_pieces(heads * v.attending, tensors), threads, 0, v, scratch);
  }
}

}  // namespace ablate::token_merging
