// C2 by warpgroups: each row's greatest scores so far, kept while attention passes by.
//   A score is a candidate only above t, the least of its row's full list. Which groups of 8 rows by 16 keys
//   hold one is told by the maxima, which the softmax needs as well, in one reduction for the whole tile:
//   late tiles, which seldom do, cost little more than attention alone. Candidates wait in columns of shared
//   memory that belong to one lane and row: no counter is shared, no lane has to know what others have. A
//   warp's path is a chain of latencies, and MMAs need the whole group, so that its slowest warp sets the
//   pace. Hence scores are stored under predicates, without a branch; and a warp with few slots left asks the
//   others of its group, so that all merge candidates into lists (top_list.cuh) at the next tile.
// Keys ascend, so among equal scores the lower row is in the list before the others are compared with it.
// Where they begin in the middle and go around, a key of the second part has to enter if it equals the least.
#pragma once

#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/compression_attention/hopper_core/running_softmax.cuh"
#include "kernels/compression_attention/top_list.cuh"

namespace ablate::compression_attention::by_warpgroup {

/// No lists: attention alone.
struct no_lists {
  static constexpr bool takes_turns = true;
  struct memory {};
  struct group_memory {};
  __device__ no_lists(const view&, memory&, group_memory&) {}
  __device__ void begin(int) {}
  __device__ void meet_lower_keys() {}
  template <int Count, int Groups>
  __device__ void see(const float (&)[Count], const float (&)[Groups][2], int) {}
  __device__ void finish(const view&, int, int) {}
};

constexpr int rows_of_warp = 16;
constexpr unsigned most_waiting = 16;                  ///< candidates of a lane and row
constexpr unsigned room_for_group = most_waiting - 4;  ///< at most so many wait before a group's four scores
constexpr unsigned accepted_waiting = room_for_group - 2;  ///< a lane with more asks for a merge

/// Of a warp, [row / 8][slot][lane]: the 32 lanes meet 32 banks. A lane's keys are 2 · (lane % 4) and the
/// next one of every 8, so that 16 bits number those of 2^18 rows.
struct waiting_candidates {
  float scores[2][most_waiting][32];
  std::uint16_t keys[2][most_waiting][32];  ///< 2 · (key / 8) + key % 2

  __device__ entry at(int j, int slot, int lane) const {
    const unsigned key = keys[j][slot][lane];
    return entry_of(scores[j][slot][lane], 4 * (key & ~1u) + 2 * (lane % 4) + key % 2);
  }
};
constexpr unsigned slot_bytes = sizeof(float) * 32, score_bytes = 2 * most_waiting * slot_bytes;

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

/// Of a warp.
struct lists_memory {
  waiting_candidates candidates;
  entry lists[rows_of_warp][32];  ///< in descending order
};

/// Merges the candidates of eight rows into their lists, some rows at once to hide the latency of shuffles;
/// row r is that of lanes 4 r and on. Returns what a candidate of the lane's row has to exceed from then on.
__device__ __noinline__ inline float merge_rows(lists_memory& of_warp, int j, int waiting, int selected) {
  constexpr int together = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  entry(*const lists)[32] = of_warp.lists + 8 * j;
  // A row's candidates are numbered lane by lane. Byte i of `ends`: where those of the quad's lane i end.
  int end = waiting;
  for (int far = 1; far < 4; far *= 2) {
    const int before = __shfl_up_sync(~0u, end, far, 4);
    if (lane % 4 >= far) end += before;
  }
  unsigned ends = static_cast<unsigned>(end) << 8 * (lane % 4);
  ends |= __shfl_xor_sync(~0u, ends, 1);
  ends |= __shfl_xor_sync(~0u, ends, 2);
  const int count = __reduce_max_sync(~0u, end);
  __syncwarp();
  float least = -INFINITY;
#pragma unroll 1
  for (int first = 0; first < 8; first += together) {
    entry list[together];
#pragma unroll
    for (int r = 0; r < together; ++r) list[r] = lists[first + r][lane];
#pragma unroll 1
    for (int done = 0; done < count; done += 32) {
      entry next[together];
      const int at = done + lane;
#pragma unroll
      for (int r = 0; r < together; ++r) {
        const unsigned of_row = __shfl_sync(~0u, ends, 4 * (first + r));
        const auto end_of = [&](int i) { return static_cast<int>(of_row >> (8 * i) & 0xff); };
        const int whose = (at >= end_of(0)) + (at >= end_of(1)) + (at >= end_of(2));
        const int slot = at - static_cast<int>((of_row << 8) >> (8 * whose) & 0xff);
        next[r] = at < end_of(3) ? of_warp.candidates.at(j, slot, 4 * (first + r) + whose) : 0;
      }
      merge_candidates(list, next);
    }
#pragma unroll
    for (int r = 0; r < together; ++r) {
      lists[first + r][lane] = list[r];
      const float of_row = least_of_list(__shfl_sync(~0u, list[r], selected - 1));
      if (lane / 4 == first + r) least = of_row;
    }
  }
  __syncwarp();
  return least;
}

class running_lists {
 public:
  static constexpr bool takes_turns = false;  ///< groups are uneven: in turns the slowest would set the pace
  using memory = lists_memory;
  struct group_memory {
    unsigned merge_at;  ///< the tile, by number, at which all warps are asked to merge
  };
  __device__ running_lists(const view& v, memory& of_warp, group_memory& of_group)
      : of_(of_warp),
        address_(hopper::shared_address(&of_warp)),
        selected_(v.selected),
        merge_at_(&of_group.merge_at) {}

  /// `rows`: how many of the warp's rows exist. The others, whose scores are all 0, have no candidates.
  __device__ void begin(int rows) {
    rows_from_mine_ = rows - static_cast<int>(threadIdx.x) % 32 / 4;
    ties_enter_ = false;
    __syncwarp();
    for (auto& list : of_.lists) list[threadIdx.x % 32] = 0;
    for (int j = 0; j < 2; ++j) {
      expect_more_than(-INFINITY, j);
      next_[j] = first_slot(j);
    }
    __syncwarp();
  }

  /// Keys below all so far follow: one with the least score of a list goes before the one that is there.
  __device__ void meet_lower_keys() {
    ties_enter_ = true;
    for (int j = 0; j < 2; ++j) expect_more_than(least_[j], j);
  }

  template <int Count, int Groups>
  __device__ void see(const float (&s)[Count], const float (&most)[Groups][2], int first_key) {
    constexpr unsigned asked = 1u << 31;
    unsigned mine = *merge_at_ == tile_ ? asked : 0;
#pragma unroll
    for (int group = 0; group < Groups; ++group)
#pragma unroll
      for (int j = 0; j < 2; ++j)
        if (most[group][j] > least_[j]) mine |= 1u << (2 * group + j);
    const unsigned hits = __reduce_or_sync(~0u, mine);
    if ((hits & ~asked) != 0) {
#pragma unroll
      for (int group = 0; group < Groups; ++group)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          if ((hits >> (2 * group + j) & 1) != 0) take(s, group, j, first_key);
      if (waits_more_than(accepted_waiting, 0) || waits_more_than(accepted_waiting, 1))
        *merge_at_ = tile_ + 1;
    }
    ++tile_;
    if ((hits & asked) != 0) {
      merge(0);
      merge(1);
    }
  }

  /// Writes the lists of the warp's rows, the first of which is `row` of the head.
  __device__ void finish(const view& v, int head, int row) {
    merge(0);
    merge(1);
    const auto first = static_cast<long long>(head) * v.rows + row;
    for (int r = 0; r < rows_of_warp && row + r < v.rows; ++r)
      write_list(of_.lists[r][threadIdx.x % 32], v.selected, v.by_index, v.table + (first + r) * v.selected);
  }

 private:
  __device__ unsigned first_slot(int j) const {
    return address_ + threadIdx.x % 32 * sizeof(float) + j * most_waiting * slot_bytes;
  }
  __device__ bool waits_more_than(unsigned count, int j) const {
    return next_[j] >= address_ + (j * most_waiting + count + 1) * slot_bytes;
  }

  /// `least`: of the row's list.
  __device__ void expect_more_than(float least, int j) {
    least_[j] = 8 * j >= rows_from_mine_ ? INFINITY : ties_enter_ ? just_below(least) : least;
  }

  template <int Count>
  __device__ __forceinline__ void take(const float (&s)[Count], int group, int j, int first_key) {
    // A key takes half the bytes of a score, and keys stand behind the scores.
    free_slot slot = {next_[j], (next_[j] + address_) / 2 + score_bytes};
    const int i = keys_per_group / 2 * group + 2 * j;
    const unsigned coded = static_cast<unsigned>(first_key) / 4 + 4 * group;
#pragma unroll
    for (int e = 0; e < 4; ++e) slot.put_if_above(least_[j], s[i + 4 * (e / 2) + e % 2], coded + e);
    next_[j] = slot.score;
    if (__any_sync(~0u, waits_more_than(room_for_group, j))) merge(j);
  }

  __device__ __forceinline__ void merge(int j) {
    // A call must not meet MMAs in flight: the compiler would serialize all of them.
    hopper::wgmma_wait<0>();
    const unsigned first = first_slot(j);
    expect_more_than(merge_rows(of_, j, static_cast<int>((next_[j] - first) / slot_bytes), selected_), j);
    next_[j] = first;
  }

  memory& of_;
  unsigned address_;  ///< shared, of the same
  int selected_;
  volatile unsigned* merge_at_;
  unsigned tile_ = 1;  ///< counted through all query tiles, the same in all warps of the group
  int rows_from_mine_ = 0;
  bool ties_enter_ = false;
  float least_[2];    ///< what candidates have to exceed: the least of full lists, or the number below
  unsigned next_[2];  ///< free_slot::score
};

}  // namespace ablate::compression_attention::by_warpgroup
