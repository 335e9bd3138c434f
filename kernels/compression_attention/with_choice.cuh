// Choosers that keep each row's greatest scores while attention passes by (attend.cuh), the lists of a warp's
// 32 rows in shared memory (top_list.cuh).
#pragma once

#include "kernels/compression_attention/attend.cuh"
#include "kernels/compression_attention/top_list.cuh"

namespace ablate::compression_attention {

struct lists_of_warp {
  entry best[rows_of_warp][32];     ///< in descending order
  entry waiting[rows_of_warp][32];  ///< candidates
};

__device__ inline void clear_lists(lists_of_warp& of) {
  for (auto& row : of.best) row[threadIdx.x % 32] = 0;
  __syncwarp();
}

__device__ inline void write_lists(const lists_of_warp& of, const view& v, const tile_place& at) {
  __syncwarp();
  for (int row = 0; row < rows_of_warp && at.first_query + row < v.rows; ++row)
    write_list(of.best[row][threadIdx.x % 32], v.selected, v.by_index,
               v.table + (at.head * v.rows + at.first_query + row) * v.selected);
}

/// C1, as published: every tile's 64 scores of a row are sorted to the greatest 32, which are merged into its
/// list, whether any of them can enter it or not.
class sort_tiles {
 public:
  using memory = lists_of_warp;
  __device__ sort_tiles(const view&, memory* lists) : lists_(*lists) { clear_lists(lists_); }

  __device__ void see(const tile_scores& s, const tile_place& at) {
    const unsigned lane = threadIdx.x % 32;
    entry* const stage = lists_.waiting[0];  // 16 rows of 64
    // Rows are rotated against each other, so that they lie in different banks.
    const auto place = [](unsigned row, unsigned column) { return row * 64 + (column + 4 * row) % 64; };
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const unsigned column = 8 * n + lane % 4 * 2 + e % 2;
          // Neither NaN nor −∞ is listed.
          stage[place(8 * (e / 2) + lane / 4, column)] =
              s[i][n][e] > -INFINITY ? entry_of(s[i][n][e], at.first_key + column) : 0;
        }
      __syncwarp();
      for (unsigned row = 0; row < 16; ++row) {
        const entry low = sorted(stage[place(row, lane)], true),
                    high = sorted(stage[place(row, lane + 32)], false);
        const entry ascending = merged(low > high ? low : high, false);
        entry& best = lists_.best[16 * i + row][lane];
        best = merged(ascending > best ? ascending : best, true);
      }
      __syncwarp();
    }
  }
  __device__ void finish(const view& v, const tile_place& at) { write_lists(lists_, v, at); }

 private:
  lists_of_warp& lists_;
};

/// Merges a row's candidates into its list; returns the score that a candidate has to exceed from then on.
__device__ __noinline__ inline float merge_row(entry* best, const entry* waiting, int count, int selected) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const entry now = with_candidates(best[lane], lane < count ? waiting[lane] : 0);
  best[lane] = now;
  const entry last = __shfl_sync(~0u, now, selected - 1);
  return last == 0 ? -INFINITY : score_of(last);
}

/// C2: only a score above the least of a full list is a candidate. Candidates wait, 32 a row; a row's are
/// merged when more would not fit. Whether a tile has any is told by a maximum over the lane's scores and a
/// vote, so late tiles, which seldom have one, cost little more than attention alone.
class above_threshold {
 public:
  using memory = lists_of_warp;
  __device__ above_threshold(const view& v, memory* lists) : lists_(*lists), selected_(v.selected) {
    clear_lists(lists_);
  }

  __device__ void see(const tile_scores& s, const tile_place& at) {
#pragma unroll
    for (int group = 0; group < 2; ++group)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float most = -INFINITY;
#pragma unroll
          for (int n = 4 * group; n < 4 * group + 4; ++n)
            most = fmaxf(most, fmaxf(s[i][n][2 * j], s[i][n][2 * j + 1]));
          if (__any_sync(~0u, most > least_[i][j])) take(s, group, i, j, at.first_key);
        }
  }

  __device__ void finish(const view& v, const tile_place& at) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) merge(__ballot_sync(~0u, waiting_[i][j] > 0), i, j);
    write_lists(lists_, v, at);
  }

 private:
  /// Scores of 32 keys, of the 8 rows 16 i + 8 j + lane / 4, that exceed their rows' least.
  __device__ __forceinline__ void take(const tile_scores& s, int group, int i, int j, unsigned first_key) {
    const unsigned lane = threadIdx.x % 32;
    int before, all;
    count(s, group, i, j, before, all);
    if (const unsigned full = __ballot_sync(~0u, waiting_[i][j] + all > 32); full != 0) {
      merge(full, i, j);
      count(s, group, i, j, before, all);
    }
    entry* to = lists_.waiting[16 * i + 8 * j + lane / 4] + waiting_[i][j] + before;
#pragma unroll
    for (int n = 4 * group; n < 4 * group + 4; ++n)
#pragma unroll
      for (int e = 2 * j; e < 2 * j + 2; ++e)
        if (s[i][n][e] > least_[i][j]) *to++ = entry_of(s[i][n][e], first_key + 8 * n + lane % 4 * 2 + e % 2);
    waiting_[i][j] += all;
  }

  /// Candidates of the quad's row: of the lanes before this one, and of all four.
  __device__ __forceinline__ void count(const tile_scores& s, int group, int i, int j, int& before,
                                        int& all) const {
    int mine = 0;
#pragma unroll
    for (int n = 4 * group; n < 4 * group + 4; ++n)
      mine += (s[i][n][2 * j] > least_[i][j]) + (s[i][n][2 * j + 1] > least_[i][j]);
    const unsigned in_quad = threadIdx.x % 4;
    const int one = __shfl_up_sync(~0u, mine, 1, 4);
    const int two = mine + (in_quad >= 1 ? one : 0);
    const int far = __shfl_up_sync(~0u, two, 2, 4);
    const int through = two + (in_quad >= 2 ? far : 0);
    all = __shfl_sync(~0u, through, 3, 4);
    before = through - mine;
  }

  /// `full`: a bit for each lane whose row is to be merged.
  __device__ __forceinline__ void merge(unsigned full, int i, int j) {
    __syncwarp();
    for (unsigned quads = full & 0x11111111u; quads != 0; quads &= quads - 1) {
      const int first_lane = __ffs(static_cast<int>(quads)) - 1, row = 16 * i + 8 * j + first_lane / 4;
      const int count = __shfl_sync(~0u, waiting_[i][j], first_lane);
      const float least = merge_row(lists_.best[row], lists_.waiting[row], count, selected_);
      if (static_cast<int>(threadIdx.x) % 32 / 4 == first_lane / 4) {
        least_[i][j] = least;
        waiting_[i][j] = 0;
      }
    }
    __syncwarp();
  }

  lists_of_warp& lists_;
  int selected_;
  float least_[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};  ///< of a full list; a lane's rows
  int waiting_[2][2] = {};
};

}  // namespace ablate::compression_attention
