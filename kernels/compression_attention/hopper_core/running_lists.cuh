// The choice by threshold, by warpgroups: each row's greatest scores so far, kept while attention passes by.
//   A score is a candidate only above t, the least of its row's full list. Which groups of 8 rows by 16 keys
//   hold one is told by the maxima, which the softmax needs as well, in one reduction for the whole tile:
//   late tiles, which seldom do, cost little more than attention alone. Candidates wait in columns of shared
//   memory that belong to one lane and row: no counter is shared, no lane has to know what others have. A
//   warp's path is a chain of latencies, and MMAs need the whole group, so that its slowest warp sets the
//   pace. Hence scores are stored under predicates, without a branch; and candidates are merged into lists
//   (top_list.cuh) at the same tiles by all warps, each time half as many again as before: a threshold
//   that lags lets in what would soon be dropped, and it rises ever more slowly.
// Where candidates are taken while MMAs run (when::multiplying), a tile without one costs a comparison a row
// and a vote, and its outputs are being multiplied meanwhile. A call would make the compiler wait for MMAs
// around it, so there the merge is inlined, in one place that full buffers and due merges share.
// Keys ascend, so among equal scores the lower row is in the list before the others are compared with it.
// Where they begin in the middle and go around, a key of the second part has to enter if it equals the least.
#pragma once

#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/compression_attention/hopper_core/best_cells.cuh"
#include "kernels/compression_attention/hopper_core/shape.cuh"
#include "kernels/compression_attention/top_list.cuh"

namespace ablate::compression_attention::by_warpgroup {

/// No lists: attention alone.
struct no_lists {
  static constexpr bool is_seeded = false, sees_while_multiplying = true;
  struct memory {};
  __device__ no_lists(const view&, memory&) {}
  __device__ void begin(int) {}
  __device__ void meet_lower_keys() {}
  template <int Count, int Groups>
  __device__ void see(const float (&)[Count], const float (&)[Groups][2], int) {}
  __device__ void finish(const view&, int, int) {}
};

constexpr int rows_of_warp = 16;
constexpr unsigned max_waiting = 16;                    ///< candidates of a lane and row
constexpr unsigned accepted_waiting = max_waiting - 8;  ///< before the eight scores of a pair of groups

/// Of a warp, [row / 8][slot][lane]: the 32 lanes meet 32 banks. A lane's keys are 2 · (lane % 4) and the
/// next one of every 8, so that 16 bits number those of 2^18 rows.
struct waiting_candidates {
  float scores[2][max_waiting][32];
  std::uint16_t keys[2][max_waiting][32];  ///< 2 · (key / 8) + key % 2

  __device__ entry at(int j, int slot, int lane) const {
    const unsigned key = keys[j][slot][lane];
    return entry_of(scores[j][slot][lane], 4 * (key & ~1u) + 2 * (lane % 4) + key % 2);
  }
};
constexpr unsigned slot_bytes = sizeof(float) * 32, score_bytes = 2 * max_waiting * slot_bytes;

/// Where a lane's next candidate goes: shared addresses of its score and its key.
struct free_slot {
  unsigned score, key;

  __device__ void put_if_above(float least, float x, unsigned coded_key) {
    asm volatile(
        "{\n\t.reg .pred above;\n\t"
        "setp.gt.f32 above, %2, %3;\n\t"
        "@above st.shared.f32 [%0], %2;\n\t"
        "@above st.shared.u16 [%1], %4;\n\t"
        "@above add.u32 %0, %0, 128;\n\t"
        "@above add.u32 %1, %1, 64;\n\t}"
        : "+r"(score), "+r"(key)
        : "f"(x), "f"(least), "r"(coded_key)
        : "memory");
  }
};

/// Of a warp; lists of 32 places, or of 64.
template <int Halves>
struct lists_memory {
  waiting_candidates candidates;
  entry lists[rows_of_warp][32 * Halves];  ///< in descending order
};

/// The candidates of eight rows, numbered row by row and lane by lane; row r is that of lanes 4 r and on.
/// Those below `first_listed` are none: they are dropped here, where few come, not where scores are seen.
class candidates_of_rows {
 public:
  __device__ candidates_of_rows(const waiting_candidates& of_warp, int j, int waiting, unsigned first_listed)
      : of_warp_(of_warp), j_(j), first_listed_(first_listed), end_(waiting) {
    for (int far = 1; far < 4; far *= 2) {
      const int before = __shfl_up_sync(~0u, end_, far, 4);
      if (lane() % 4 >= far) end_ += before;
    }
    ends_ = static_cast<unsigned>(end_) << 8 * (lane() % 4);
    ends_ |= __shfl_xor_sync(~0u, ends_, 1);
    ends_ |= __shfl_xor_sync(~0u, ends_, 2);
  }

  /// The most that one of the rows from `first` on, as many as `rows`, has.
  __device__ int most(int first, int rows) const {
    const int row = lane() / 4 - first;
    return __reduce_max_sync(~0u, row >= 0 && row < rows ? end_ : 0);
  }

  /// Candidate `at` of a row, or none.
  __device__ entry get(int row, int at) const {
    const unsigned ends = __shfl_sync(~0u, ends_, 4 * row);
    const auto end_of = [&](int i) { return static_cast<int>(ends >> (8 * i) & 0xff); };
    const int whose = (at >= end_of(0)) + (at >= end_of(1)) + (at >= end_of(2));
    const int slot = at - static_cast<int>((ends << 8) >> (8 * whose) & 0xff);
    if (at >= end_of(3)) return 0;
    const entry candidate = of_warp_.at(j_, slot, 4 * row + whose);
    return ~static_cast<unsigned>(candidate) >= first_listed_ ? candidate : 0;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }

  const waiting_candidates& of_warp_;
  int j_;
  unsigned first_listed_;
  int end_;        ///< of this lane's, in its row
  unsigned ends_;  ///< of the row: byte i tells where those of the quad's lane i end
};

/// Merges candidates into the lists of 16 rows, four rows at once to hide the latency of shuffles. `waiting`:
/// of this lane, for each of its rows. Returns the least entries of its rows' lists.
template <int Halves>
__device__ __forceinline__ float2 merge_rows_inline(lists_memory<Halves>& of_warp, int2 waiting, int selected,
                                                    unsigned first_listed) {
  constexpr int together = 4, few = 32 / together;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  __syncwarp();
#pragma unroll 1
  for (int j = 0; j < 2; ++j) {
    const candidates_of_rows candidates(of_warp.candidates, j, j == 0 ? waiting.x : waiting.y, first_listed);
    entry(*const lists)[32 * Halves] = of_warp.lists + 8 * j;
#pragma unroll 1
    for (int first = 0; first < 8; first += together) {
      const int most = candidates.most(first, together);
      if (most == 0) continue;
      entry list[Halves][together], next[together];
#pragma unroll
      for (int half = 0; half < Halves; ++half)
#pragma unroll
        for (int r = 0; r < together; ++r) list[half][r] = lists[first + r][32 * half + lane];
      if (most <= few) {
        // All four rows' candidates fit one register: eight lanes sort those of a row.
        entry of_four[1] = {candidates.get(first + lane / few, lane % few)};
        sort_eight_ascending(of_four);
#pragma unroll
        for (int r = 0; r < together; ++r) {
          const entry of_row = __shfl_sync(~0u, of_four[0], few * r + lane % few);
          next[r] = lane >= 32 - few ? of_row : 0;
        }
        merge_ascending(list, next);
      } else {
#pragma unroll 1
        for (int done = 0; done < most; done += 32) {
#pragma unroll
          for (int r = 0; r < together; ++r) next[r] = candidates.get(first + r, done + lane);
          merge_candidates(list, next);
        }
      }
#pragma unroll
      for (int half = 0; half < Halves; ++half)
#pragma unroll
        for (int r = 0; r < together; ++r) lists[first + r][32 * half + lane] = list[half][r];
    }
  }
  __syncwarp();
  const int row = lane / 4, last = selected - 1;
  return {least_of_list(of_warp.lists[row][last]), least_of_list(of_warp.lists[row + 8][last])};
}
template <int Halves>
__device__ __noinline__ float2 merge_rows(lists_memory<Halves>& of_warp, int2 waiting, int selected,
                                          unsigned first_listed) {
  return merge_rows_inline(of_warp, waiting, selected, first_listed);
}

/// When a tile's scores are searched for candidates.
enum class when {
  multiplied,  ///< once no MMA is in flight
  multiplying  ///< while the outputs of the tile before are multiplied
};

/// Lists begin with a bound on the least score of each.
template <when Searched = when::multiplied, int Halves = 1>
class running_lists {
 public:
  static constexpr bool is_seeded = true, sees_while_multiplying = Searched == when::multiplying;
  using memory = lists_memory<Halves>;
  using cells = best_cells<Halves>;
  __device__ running_lists(const view& v, memory& of_warp)
      : of_(of_warp),
        address_(hopper::shared_address(&of_warp)),
        selected_(v.selected),
        first_listed_(v.first_listed) {}

  /// `rows`: how many of the warp's rows exist. The others, whose scores are all 0, have no candidates.
  __device__ void begin(int rows) {
    rows_from_mine_ = rows - lane() / 4;
    ties_enter_ = false;
    tiles_ = 0;
    merge_at_ = 1;
    seed_[0] = seed_[1] = -INFINITY;
    __syncwarp();
    for (auto& list : of_.lists)
      for (int half = 0; half < Halves; ++half) list[32 * half + lane()] = 0;
    for (int j = 0; j < 2; ++j) {
      expect_more_than(-INFINITY, j);
      next_[j] = first_slot(j);
    }
    __syncwarp();
  }

  /// `best`: of the first `tiles` tiles.
  __device__ void seed(const cells& best, int tiles) {
    merge_at_ = tiles;
    for (int j = 0; j < 2; ++j) {
      seed_[j] = just_below(best.reached_by(selected_, j));
      expect_more_than(-INFINITY, j);
    }
  }

  /// Keys below all so far follow: one with the least score of a list goes before the one that is there.
  __device__ void meet_lower_keys() {
    ties_enter_ = true;
    for (int j = 0; j < 2; ++j) expect_more_than(least_[j], j);
  }

  template <int Count, int Groups>
  __device__ void see(const float (&s)[Count], const float (&most)[Groups][2], int first_key) {
    if constexpr (Searched == when::multiplying)
      see_if_any(s, most, first_key);
    else
      see_groups(s, most, first_key);
  }

  /// Writes the lists of the warp's rows, from `row` of the head on.
  __device__ void finish(const view& v, int head, int row) {
    merge();
    const auto first = static_cast<long long>(head) * v.rows + row;
    for (int r = 0; r < rows_of_warp && row + r < v.rows; ++r) {
      const entry* const mine = of_.lists[r] + lane();
      std::int32_t* const to = v.table + (first + r) * v.selected;
      if constexpr (Halves == 2)
        write_list(mine[0], mine[32], v.selected, v.by_index, to);
      else
        write_list(mine[0], v.selected, v.by_index, to);
    }
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  __device__ unsigned first_slot(int j) const {
    return address_ + lane() * sizeof(float) + j * max_waiting * slot_bytes;
  }
  __device__ bool waits_more_than(unsigned count, int j) const {
    return next_[j] >= address_ + (j * max_waiting + count + 1) * slot_bytes;
  }

  /// Groups that have a candidate, in any lane: bit 2 · group + row / 8.
  template <int Groups>
  __device__ unsigned groups_hit(const float (&most)[Groups][2]) const {
    unsigned mine = 0;
#pragma unroll
    for (int group = 0; group < Groups; ++group)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        if (most[group][j] > least_[j]) mine |= 1u << (2 * group + j);
    return __reduce_or_sync(~0u, mine);
  }

  /// Both groups of a pair.
  template <int Count>
  __device__ __forceinline__ void take_pair(const float (&s)[Count], int pair, unsigned hits, int first_key) {
#pragma unroll
    for (int group = pair; group < pair + 2; ++group)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        if ((hits >> (2 * group + j) & 1) != 0) take(s, group, j, first_key);
  }

  /// Whether a lane has no room for the scores of another pair.
  __device__ bool is_full() const {
    return __any_sync(~0u, waits_more_than(accepted_waiting, 0) || waits_more_than(accepted_waiting, 1));
  }

  /// While no MMA is in flight, since merge_rows is called.
  template <int Count, int Groups>
  __device__ void see_groups(const float (&s)[Count], const float (&most)[Groups][2], int first_key) {
    const unsigned hits = groups_hit(most);
#pragma unroll
    for (int pair = 0; pair < Groups; pair += 2) {
      if ((hits >> 2 * pair & 0xf) == 0) continue;
      take_pair(s, pair, hits, first_key);
      if (is_full()) merge();
    }
    if (++tiles_ == merge_at_) {
      merge();
      merge_at_ = tiles_ + (tiles_ + 1) / 2;
    }
  }

  template <int Count, int Groups>
  __device__ void see_if_any(const float (&s)[Count], const float (&most)[Groups][2], int first_key) {
    const bool is_due = ++tiles_ == merge_at_;
    if (is_due) merge_at_ = tiles_ + (tiles_ + 1) / 2;
    const bool has_any = greatest_of(most, 0) > least_[0] || greatest_of(most, 1) > least_[1];
    if (!__any_sync(~0u, has_any) && !is_due) return;
    unsigned left = groups_hit(most);
#pragma unroll 1
    while (true) {
      bool is_stuck = false;
#pragma unroll
      for (int pair = 0; pair < Groups; pair += 2) {
        if (is_stuck || (left >> 2 * pair & 0xf) == 0) continue;
        is_stuck = is_full();
        if (is_stuck) continue;
        take_pair(s, pair, left, first_key);
        left &= ~(0xfu << 2 * pair);
      }
      if (!is_stuck && !is_due) return;
      replace_leasts(merge_rows_inline(of_, {waiting(0), waiting(1)}, selected_, first_listed_));
      if (!is_stuck) return;
    }
  }

  /// `least`: of the row's list.
  __device__ void expect_more_than(float least, int j) {
    if (ties_enter_) least = just_below(least);
    least = fmaxf(least, seed_[j]);
    least_[j] = 8 * j >= rows_from_mine_ ? INFINITY : least;
  }

  template <int Count>
  __device__ __forceinline__ void take(const float (&s)[Count], int group, int j, int first_key) {
    // A key takes half the bytes of a score, and keys follow the scores.
    free_slot slot = {next_[j], (next_[j] + address_) / 2 + score_bytes};
    const int i = keys_per_group / 2 * group + 2 * j;
    const unsigned coded = static_cast<unsigned>(first_key) / 4 + 4 * group;
#pragma unroll
    for (int e = 0; e < 4; ++e) slot.put_if_above(least_[j], s[i + 4 * (e / 2) + e % 2], coded + e);
    next_[j] = slot.score;
  }

  /// Candidates of this lane's row j.
  __device__ int waiting(int j) const { return static_cast<int>((next_[j] - first_slot(j)) / slot_bytes); }

  __device__ __forceinline__ void merge() {
    replace_leasts(merge_rows(of_, {waiting(0), waiting(1)}, selected_, first_listed_));
  }

  /// After a merge.
  __device__ void replace_leasts(float2 least) {
    expect_more_than(least.x, 0);
    expect_more_than(least.y, 1);
    for (int j = 0; j < 2; ++j) next_[j] = first_slot(j);
  }

  memory& of_;
  unsigned address_;  ///< shared, of the same
  int selected_;
  unsigned first_listed_;
  int tiles_ = 0, merge_at_ = 1;  ///< tiles seen, and how many when candidates are merged
  int rows_from_mine_ = 0;
  bool ties_enter_ = false;
  float seed_[2];     ///< below what is reached by enough keys of the row
  float least_[2];    ///< what candidates have to exceed: the least of full lists, or the number below
  unsigned next_[2];  ///< free_slot::score
};

/// Lists that begin empty: every key beats them until they are full.
struct empty_lists : running_lists<> {
  static constexpr bool is_seeded = false;
  using running_lists<>::running_lists;
};

}  // namespace ablate::compression_attention::by_warpgroup
