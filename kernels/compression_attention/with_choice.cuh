// Choosers that keep each row's greatest scores while attention passes by (attend.cuh), the lists of a warp's
// 32 rows in shared memory (top_list.cuh).
#pragma once

#include "kernels/compression_attention/attend.cuh"
#include "kernels/compression_attention/top_list.cuh"

namespace ablate::compression_attention {

/// [row][place], in descending order: 32 or 64 places.
template <int Halves, class T = entry>
using lists_of_warp = T[rows_of_warp][32 * Halves];

template <int Halves, class T>
__device__ void clear_lists(lists_of_warp<Halves, T>& lists) {
  for (auto& row : lists)
    for (int half = 0; half < Halves; ++half) row[32 * half + threadIdx.x % 32] = 0;
  __syncwarp();
}

template <int Halves, class T>
__device__ void write_lists(const lists_of_warp<Halves, T>& lists, const view& v, const tile_place& at) {
  __syncwarp();
  for (int row = 0; row < rows_of_warp && at.first_query + row < v.rows; ++row) {
    const T* const mine = lists[row] + threadIdx.x % 32;
    std::int32_t* const to = v.table + (at.head * v.rows + at.first_query + row) * v.selected;
    if constexpr (Halves == 2)
      write_list(mine[0], mine[32], v.selected, v.by_index, to);
    else
      write_list(mine[0], v.selected, v.by_index, to);
  }
}

/// As published: every tile's 64 scores of a row are sorted to the greatest 32, which are merged into its
/// list, whether any of them can enter it or not. Where lists have 64 places, all 64 are merged. With ranks
/// of 32 bits an exchange is one shuffle and one comparison, not two and three.
template <int Halves, class Ranked>
class sorts_tiles {
 public:
  using entry = typename Ranked::number;
  struct memory {
    lists_of_warp<Halves, entry> lists;
    entry stage[16][tile_keys];
  };
  __device__ sorts_tiles(const view& v, memory* of_warp) : of_(*of_warp), first_listed_(v.first_listed) {
    clear_lists<Halves, entry>(of_.lists);
  }

  __device__ void see(const tile_scores& s, const group_maxima&, const tile_place& at) {
    const unsigned lane = threadIdx.x % 32;
    // Rows are rotated against each other, so that they are in different banks.
    const auto staged = [&](unsigned row, unsigned column) -> entry& {
      return of_.stage[row][(column + 4 * row) % tile_keys];
    };
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
      for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const unsigned column = 8 * n + lane % 4 * 2 + e % 2;
          // Neither NaN nor −∞ is listed.
          const bool is_candidate = s[i][n][e] > -INFINITY && at.first_key + column >= first_listed_;
          staged(8 * (e / 2) + lane / 4, column) =
              is_candidate ? Ranked::of(s[i][n][e], at.first_key + column) : 0;
        }
      __syncwarp();
      for (unsigned row = 0; row < 16; ++row) {
        entry low[1] = {staged(row, lane)}, high[1] = {staged(row, lane + 32)};
        sort(low, true);
        sort(high, false);
        entry* const best = of_.lists[16 * i + row] + lane;
        entry list[Halves][1];
#pragma unroll
        for (int half = 0; half < Halves; ++half) list[half][0] = best[32 * half];
        entry greater[1] = {low[0] > high[0] ? low[0] : high[0]};
        merge<32>(greater, false);
        merge_ascending(list, greater);
        if constexpr (Halves == 2) {
          entry lesser[1] = {low[0] > high[0] ? high[0] : low[0]};
          merge<32>(lesser, false);
          merge_ascending(list, lesser);
        }
#pragma unroll
        for (int half = 0; half < Halves; ++half) best[32 * half] = list[half][0];
      }
      __syncwarp();
    }
  }
  __device__ void finish(const view& v, const tile_place& at) {
    write_lists<Halves, entry>(of_.lists, v, at);
  }

 private:
  memory& of_;
  unsigned first_listed_;
};
struct sort_tiles : sorts_tiles<1, ranked_by_fp32> {
  using sorts_tiles::sorts_tiles;
};
struct sort_tiles_to_64 : sorts_tiles<2, ranked_by_fp32> {
  using sorts_tiles::sorts_tiles;
};
struct sort_rounded_tiles : sorts_tiles<1, ranked_by_bf16> {
  using sorts_tiles::sorts_tiles;
};
struct sort_short_ranks : sorts_tiles<1, ranked_in_32_bits> {
  using sorts_tiles::sorts_tiles;
};

/// A score that exceeded the least of its row's list when it was seen.
struct candidate {
  float score;
  unsigned key;
};
/// [row][lane of its quad][place]: each lane's own, so that none has to know how many the others have.
constexpr int waiting_of_lane = 8;
using candidates_of_warp = candidate[rows_of_warp][4][waiting_of_lane];

/// Merges the candidates of four neighboring rows into their lists, and returns what a candidate of the
/// lane's row has to exceed from then on. `waiting`: of the lane's row, as the lane counts its own; the rows
/// are those of lanes 16 · half and later. Candidates below `first_listed` are dropped here: few tiles have
/// any, and where they are seen, all would have to look.
template <int Halves>
__device__ __noinline__ float merge_rows(entry (*lists)[32 * Halves],
                                         const candidate (*of)[4][waiting_of_lane], int waiting, int half,
                                         int selected, unsigned first_listed) {
  constexpr int rows = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  entry list[Halves][rows], candidates[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const int there = __shfl_sync(~0u, waiting, 16 * half + 4 * r + lane / waiting_of_lane);
    const candidate mine = of[r][lane / waiting_of_lane][lane % waiting_of_lane];
    const bool is_there = lane % waiting_of_lane < there && mine.key >= first_listed;
    candidates[r] = is_there ? entry_of(mine.score, mine.key) : 0;
#pragma unroll
    for (int half = 0; half < Halves; ++half) list[half][r] = lists[r][32 * half + lane];
  }
  merge_candidates(list, candidates);
  float least = -INFINITY;
#pragma unroll
  for (int r = 0; r < rows; ++r) {
#pragma unroll
    for (int half = 0; half < Halves; ++half) lists[r][32 * half + lane] = list[half][r];
    // Lists of two halves end in the second one.
    const float of_row = least_of_list(__shfl_sync(~0u, list[Halves - 1][r], (selected - 1) % 32));
    if (lane / 4 % rows == r) least = of_row;
  }
  return least;
}

template <int Halves>
struct lists_and_candidates {
  lists_of_warp<Halves> lists;
  candidates_of_warp candidates;
};

/// Whether a bound is known of each row's list, which its candidates also reach.
enum class list_bound { unknown, known };

/// Only a score above the least of a full list is a candidate. Candidates wait, up to 8 a lane and row,
/// and are merged when a lane has no room for more. Whether 32 keys hold any is told by the lane's greatest
/// score, which the softmax needs as well, and a vote: late tiles, which seldom have one, cost little more
/// than attention alone.
template <int Halves, list_bound Bound = list_bound::unknown>
class keeps_above_threshold {
 public:
  using memory = lists_and_candidates<Halves>;
  __device__ keeps_above_threshold(const view& v, memory* of_warp)
      : keeps_above_threshold(v.selected, v.first_listed, of_warp) {}
  __device__ keeps_above_threshold(int selected, unsigned first_listed, memory* of_warp)
      : of_(*of_warp), selected_(selected), first_listed_(first_listed) {
    clear_lists<Halves, entry>(of_.lists);
  }

  /// `bounds`: of the lane's rows, reached by as many keys as a list has places.
  __device__ void begin_at(const float (&bounds)[2][2]) {
    static_assert(Bound == list_bound::known);
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) least_[i][j] = below_bound_[i][j] = just_below(bounds[i][j]);
  }

  __device__ void see(const tile_scores& s, const group_maxima& most, const tile_place& at) {
#pragma unroll
    for (int group = 0; group < 2; ++group)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          if (__any_sync(~0u, most[group][i][j] > least_[i][j])) take(s, group, i, j, at.first_key);
  }

  /// The least of each full list of the lane's rows, −∞ of others.
  __device__ void find_leasts(float (&leasts)[2][2]) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        merge_all(i, j);
        leasts[i][j] = least_[i][j];
      }
  }

  __device__ void finish(const view& v, const tile_place& at) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) merge_all(i, j);
    write_lists<Halves, entry>(of_.lists, v, at);
  }

 private:
  /// Scores of 32 keys, of the 8 rows 16 i + 8 j + lane / 4, that exceed their rows' least.
  __device__ __forceinline__ void take(const tile_scores& s, int group, int i, int j, unsigned first_key) {
    const unsigned lane = threadIdx.x % 32;
    int more = 0;
#pragma unroll
    for (int n = 4 * group; n < 4 * group + 4; ++n)
      more += (s[i][n][2 * j] > least_[i][j]) + (s[i][n][2 * j + 1] > least_[i][j]);
    if (__any_sync(~0u, waiting_[i][j] + more > waiting_of_lane)) merge_all(i, j);
    candidate* const first = of_.candidates[16 * i + 8 * j + lane / 4][lane % 4];
    candidate* to = first + waiting_[i][j];
#pragma unroll
    for (int n = 4 * group; n < 4 * group + 4; ++n)
#pragma unroll
      for (int e = 2 * j; e < 2 * j + 2; ++e)
        if (s[i][n][e] > least_[i][j]) *to++ = {s[i][n][e], first_key + 8 * n + lane % 4 * 2 + e % 2};
    waiting_[i][j] = static_cast<int>(to - first);
  }

  /// The 8 rows 16 i + 8 j and on.
  __device__ __forceinline__ void merge_all(int i, int j) {
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = 16 * i + 8 * j + 4 * half;
      const float least = merge_rows<Halves>(of_.lists + row, of_.candidates + row, waiting_[i][j], half,
                                             selected_, first_listed_);
      if (static_cast<int>(threadIdx.x) % 32 / 16 == half)
        least_[i][j] = Bound == list_bound::known ? fmaxf(least, below_bound_[i][j]) : least;
    }
    waiting_[i][j] = 0;
    __syncwarp();
  }

  memory& of_;
  int selected_;
  unsigned first_listed_;
  float least_[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};  ///< of a full list; a lane's rows
  float below_bound_[2][2];                                               ///< where the bound is known
  int waiting_[2][2] = {};
};
struct above_threshold : keeps_above_threshold<1> {
  using keeps_above_threshold<1>::keeps_above_threshold;
};
struct above_threshold_of_64 : keeps_above_threshold<2> {
  using keeps_above_threshold<2>::keeps_above_threshold;
};

}  // namespace ablate::compression_attention
