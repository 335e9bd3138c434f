// The greatest scores of a row so far, as a warp keeps them: 32 keys in shared memory, in descending order.
//   A key is the score's order-preserving 32-bit image above the inverted number of its key row, so that one
//   unsigned comparison decides by score, and among equal scores for the lower row. 0 stands for no entry.
// Candidates come 32 at a time, one a lane: a bitonic sort (15 exchanges), the greater of each and of the
// list read backward (the 32 greatest of both, as a bitonic sequence), and 5 more exchanges put them in
// order.
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
__device__ inline float score_of(entry e) {
  const auto image = static_cast<unsigned>(e >> 32);
  return __uint_as_float(image ^ ((image >> 31) != 0 ? 0x80000000u : 0xffffffffu));
}
__device__ inline std::int32_t row_of(entry e) {
  return e == 0 ? -1 : static_cast<std::int32_t>(~static_cast<unsigned>(e));
}

/// Lanes' numbers, each against that of the lane `far` away: the greater stays in the lower lane of a
/// descending run.
template <class T>
__device__ T exchanged(T mine, int far, bool descending) {
  const T other = __shfl_xor_sync(~0u, mine, far);
  const bool is_lower = (threadIdx.x & far) == 0;
  return (is_lower == descending) == (mine > other) ? mine : other;
}

/// A bitonic sequence of `Size` lanes, sorted.
template <int Size = 32, class T>
__device__ T merged(T mine, bool descending) {
#pragma unroll
  for (int far = Size / 2; far > 0; far /= 2) mine = exchanged(mine, far, descending);
  return mine;
}

/// The warp's 32 numbers, sorted.
template <class T>
__device__ T sorted(T mine, bool descending) {
  const auto run = [&](unsigned size) { return ((threadIdx.x & size) == 0) == descending; };
  mine = exchanged(mine, 1, run(2));
  mine = merged<4>(mine, run(4));
  mine = merged<8>(mine, run(8));
  mine = merged<16>(mine, run(16));
  return merged<32>(mine, descending);
}

/// The list with a candidate a lane; returns the lane's place in it.
__device__ inline entry with_candidates(entry of_list, entry candidate) {
  const entry ascending = sorted(candidate, false);
  return merged(ascending > of_list ? ascending : of_list, true);
}

/// Writes a row's list: the lane has its place of the descending order.
__device__ inline void write_list(entry of_list, int selected, bool by_index, std::int32_t* to) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  unsigned row = lane < selected ? static_cast<unsigned>(row_of(of_list)) : ~0u;
  if (by_index) row = sorted(row, false);  // no row, −1, is the greatest number
  if (lane < selected) to[lane] = static_cast<std::int32_t>(row);
}

}  // namespace ablate::compression_attention
