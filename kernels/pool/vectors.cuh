#pragma once

#include "kernels/pool/row_view.cuh"

namespace ablate::pool {

constexpr int members_in_flight = 4;

/// One vector of a cluster's row: `members` from `begin` on, several loads under way at once.
template <class Reducer, class Member>
__device__ unsigned reduce_vector(Reducer& into, const std::uint16_t* features, unsigned points, int channels,
                                  unsigned lane, unsigned begin, unsigned end, Member member) {
  unsigned count = 0;
  for (unsigned first = begin; first < end; first += members_in_flight) {
    unsigned row[members_in_flight];
    uint4 stored[members_in_flight];
#pragma unroll
    for (int k = 0; k < members_in_flight; ++k) row[k] = first + k < end ? member(first + k) : points;
#pragma unroll
    for (int k = 0; k < members_in_flight; ++k)
      if (row[k] < points) stored[k] = __ldg(vector_of(features, row[k], channels, lane));
#pragma unroll
    for (int k = 0; k < members_in_flight; ++k) {
      if (row[k] >= points) continue;
      ++count;
#pragma unroll
      for (int i = 0; i < vector_channels; ++i) into.take(i, channel_of(stored[k], i), first + k - begin);
    }
  }
  return count;
}

template <class Reducer>
__device__ void store_winners(const Reducer& from, std::uint8_t* winner, unsigned row, int channels,
                              unsigned lane) {
  if constexpr (Reducer::keeps_winners) {
    unsigned words[2] = {};
#pragma unroll
    for (int i = 0; i < vector_channels; ++i)
      words[i / 4] |= static_cast<unsigned>(stored_winner(from.winner[i])) << 8 * (i % 4);
    auto* const of_row = reinterpret_cast<uint2*>(winner + static_cast<long long>(row) * channels);
    of_row[lane] = make_uint2(words[0], words[1]);
  }
}

}  // namespace ablate::pool
