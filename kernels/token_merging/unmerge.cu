// Outputs of all tokens from those of what attended.
//   `passes=3`, as published: destinations, then sources from where they were merged, then protected tokens,
// which some of both are, are written each by a launch.
// `passes=1`: each token takes its row from where it is.
// Should move: launches, and DRAM bytes written, by a tenth.
#include "kernels/token_merging/launches.h"
#include "kernels/token_merging/view.cuh"

namespace ablate::token_merging {

enum class rows_of { destinations, sources, appended };

/// Rows: of such a list, of all heads.
template <rows_of List>
__global__ __launch_bounds__(block_threads) void scatter(const __grid_constant__ view v) {
  const int count = List == rows_of::destinations ? v.destinations
                    : List == rows_of::sources    ? v.sources
                                                  : v.appended;
  const row_piece at;
  if (at.row >= static_cast<long long>(v.heads) * count) return;
  const auto head = at.row / count;
  const int i = static_cast<int>(at.row % count);
  const int token = (List == rows_of::destinations ? v.destination_tokens
                     : List == rows_of::sources    ? v.source_tokens
                                                   : v.appended_tokens)[i];
  const int row = List == rows_of::destinations ? i
                  : List == rows_of::sources    ? v.best[i]
                                                : v.destinations + i;
  *piece_of(v.out, head * v.tokens + token, at.piece) =
      *piece_of(v.attended, head * v.attending + row, at.piece);
}

/// Rows: tokens of all heads.
__global__ __launch_bounds__(block_threads) void gather(const __grid_constant__ view v) {
  const row_piece at;
  if (at.row >= v.heads * v.tokens) return;
  const auto head = at.row / v.tokens;
  const int place = v.places[at.row % v.tokens];
  const int row = place >= 0 ? place : v.best[-1 - place];
  *piece_of(v.out, at.row, at.piece) = *piece_of(v.attended, head * v.attending + row, at.piece);
}

void unmerge(launcher& to, const problem& p, const switches& s) {
  const view v(p);
  const dim3 threads(block_threads);
  const auto heads = static_cast<long long>(v.heads);
  if (s.integer("passes") == 1) {
    launch(to, gather, grid_of_pieces(heads * v.tokens), threads, 0, v);
  } else {
    launch(to, scatter<rows_of::destinations>, grid_of_pieces(heads * v.destinations), threads, 0, v);
    launch(to, scatter<rows_of::sources>, grid_of_pieces(heads * v.sources), threads, 0, v);
    launch(to, scatter<rows_of::appended>, grid_of_pieces(heads * v.appended), threads, 0, v);
  }
}

}  // namespace ablate::token_merging
