// The greatest scores of a row so far, as a warp keeps them: 32 or 64 keys in shared memory, in descending
// order.
//   A key is the score's order-preserving 32-bit image above the inverted number of its key row, so that one
//   unsigned comparison decides by score, and among equal scores for the lower row. 0 means no entry.
// Candidates come 32 at a time, one a lane: a bitonic sort (15 exchanges), the greater of each and of the
// list read backward (the 32 greatest of both, as a bitonic sequence), and 5 more exchanges put them in
// order. Of 64 places a lane has one of the first 32 and one of the last: candidates are merged into the
// last, and these with the first.
#pragma once

#include <cstdint>

#include "kernels/compression_attention/compression_attention.h"

namespace ablate::compression_attention {

using entry = unsigned long long;

/// −0 counts as 0.
__device__ inline entry entry_of(float score, unsigned row) {
  const unsigned bits = __float_as_uint(score + 0.0f);
  const unsigned image = bits ^ ((bits >> 31) != 0 ? 0xffffffffu : 0x80000000u);
  return static_cast<entry>(image) << 32 | ~row;
}
/// The image of a score rounded down to bf16: that of the score without its lower half.
__device__ inline unsigned bf16_image_of(float score) {
  return static_cast<unsigned>(entry_of(score, 0) >> 32) & 0xffff0000u;
}
__device__ inline float score_of(entry e) {
  const auto image = static_cast<unsigned>(e >> 32);
  return __uint_as_float(image ^ ((image >> 31) != 0 ? 0x80000000u : 0xffffffffu));
}
__device__ inline std::int32_t row_of(entry e) {
  return e == 0 ? -1 : static_cast<std::int32_t>(~static_cast<unsigned>(e));
}

/// What ranks a score and its key row: unsigned numbers, greater for what goes first, 0 for no entry.
struct ranked_by_fp32 {
  using number = entry;
  __device__ static number of(float score, unsigned row) { return entry_of(score, row); }
};
/// Scores rounded down to bf16, so that scores whose first 8 digits are equal tie.
struct ranked_by_bf16 {
  using number = entry;
  __device__ static number of(float score, unsigned row) {
    return static_cast<entry>(bf16_image_of(score)) << 32 | ~row;
  }
};
/// The same order in 32 bits: of rows below 2^16.
using short_entry = unsigned;
struct ranked_in_32_bits {
  using number = short_entry;
  __device__ static number of(float score, unsigned row) { return bf16_image_of(score) | (0xffffu - row); }
};
__device__ inline std::int32_t row_of(short_entry e) {
  return e == 0 ? -1 : static_cast<std::int32_t>(0xffffu - (e & 0xffffu));
}

/// What a score has to exceed to enter a list with this last entry.
__device__ inline float least_of_list(entry last) { return last == 0 ? -INFINITY : score_of(last); }

/// The greatest number below a finite x; −∞ stays. A score exceeds it if it equals x or exceeds that.
__device__ inline float just_below(float x) {
  if (x == -INFINITY) return x;
  const int bits = __float_as_int(x);
  return x == 0 ? __int_as_float(0x80000001) : __int_as_float(x > 0 ? bits - 1 : bits + 1);
}

/// Lanes' numbers, each against that of the lane `far` away: the greater stays in the lower lane of a
/// descending run. Several rows at once hide the latency of shuffles.
template <class T, int Rows>
__device__ void exchange(T (&mine)[Rows], int far, bool descending) {
  const bool keeps_greater = ((threadIdx.x & far) == 0) == descending;
#pragma unroll
  for (T& x : mine) {
    const T other = __shfl_xor_sync(~0u, x, far);
    x = keeps_greater == (x > other) ? x : other;
  }
}

/// Sorts bitonic sequences of `Size` lanes.
template <int Size, class T, int Rows>
__device__ void merge(T (&mine)[Rows], bool descending) {
#pragma unroll
  for (int far = Size / 2; far > 0; far /= 2) exchange(mine, far, descending);
}

/// Sorts each row's 32 numbers.
template <class T, int Rows>
__device__ void sort(T (&mine)[Rows], bool descending) {
  const auto run = [&](unsigned size) { return ((threadIdx.x & size) == 0) == descending; };
  merge<2>(mine, run(2));
  merge<4>(mine, run(4));
  merge<8>(mine, run(8));
  merge<16>(mine, run(16));
  merge<32>(mine, descending);
}

/// Sorts the eight numbers of each row's eight lanes.
template <class T, int Rows>
__device__ void sort_eight_ascending(T (&mine)[Rows]) {
  const auto run = [](unsigned size) { return (threadIdx.x & size) != 0; };
  merge<2>(mine, run(2));
  merge<4>(mine, run(4));
  merge<8>(mine, false);
}

/// Merges 32 ascending numbers into each row's list, a place per lane.
template <class T, int Rows>
__device__ void merge_ascending(T (&of_list)[Rows], const T (&ascending)[Rows]) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) of_list[r] = ascending[r] > of_list[r] ? ascending[r] : of_list[r];
  merge<32>(of_list, true);
}

/// The same of lists of one half, or two.
template <class T, int Rows>
__device__ void merge_ascending(T (&of_list)[1][Rows], const T (&ascending)[Rows]) {
  merge_ascending(of_list[0], ascending);
}
template <class T, int Rows>
__device__ void merge_ascending(T (&of_list)[2][Rows], const T (&ascending)[Rows]) {
  merge_ascending(of_list[1], ascending);
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    T &first = of_list[0][r], &last = of_list[1][r];
    const T backward = __shfl_xor_sync(~0u, last, 31);
    last = first < backward ? first : backward;
    first = first < backward ? backward : first;
  }
  merge<32>(of_list[0], true);
  merge<32>(of_list[1], true);
}

/// Puts a candidate a lane into each row's list.
template <class List, int Rows>
__device__ void merge_candidates(List& of_list, entry (&candidates)[Rows]) {
  sort(candidates, false);
  merge_ascending(of_list, candidates);
}

/// Writes a row's list: the lane has its place of the descending order.
template <class T>
__device__ void write_list(T of_list, int selected, bool by_index, std::int32_t* to) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned row[1] = {lane < selected ? static_cast<unsigned>(row_of(of_list)) : ~0u};
  if (by_index) sort(row, false);  // no row, −1, is the greatest number
  if (lane < selected) to[lane] = static_cast<std::int32_t>(row[0]);
}
/// Of 64 places: `last` are those from 32 on.
template <class T>
__device__ void write_list(T first, T last, int selected, bool by_index, std::int32_t* to) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned low[1] = {static_cast<unsigned>(row_of(first))},
           high[1] = {lane + 32 < selected ? static_cast<unsigned>(row_of(last)) : ~0u};
  if (by_index) {
    sort(low, false);
    sort(high, true);
    const unsigned lesser = low[0] < high[0] ? low[0] : high[0];
    high[0] = low[0] < high[0] ? high[0] : low[0];
    low[0] = lesser;
    merge<32>(low, false);
    merge<32>(high, false);
  }
  to[lane] = static_cast<std::int32_t>(low[0]);
  if (lane + 32 < selected) to[lane + 32] = static_cast<std::int32_t>(high[0]);
}

}  // namespace ablate::compression_attention
