#pragma once

namespace ablate {

constexpr int warp_lanes = 32;
constexpr unsigned whole_warp = 0xffffffffu;

/// The lanes of a warp that hold the same value, seen by one of them. The whole warp makes this.
struct lane_peers {
  unsigned mask;  ///< the lanes, this one among them
  unsigned rank;  ///< of this lane among them, from the lowest

  __device__ explicit lane_peers(int value) : mask(__match_any_sync(whole_warp, value)) {
    const unsigned lane = threadIdx.x % warp_lanes;
    rank = static_cast<unsigned>(__popc(mask & ((1u << lane) - 1)));
  }

  __device__ bool leads() const { return rank == 0; }
  __device__ int count() const { return __popc(mask); }
  __device__ int leader() const { return __ffs(static_cast<int>(mask)) - 1; }

  /// Sums `values` over the peers; the leader gets the sums, the others something in between. The whole warp
  /// calls this. Halves the number of lanes with a part of a sum in each round: as many rounds as the largest
  /// group of peers has bits, none where no two lanes are peers.
  template <class T, int Count>
  __device__ void sum(T (&values)[Count]) const {
    unsigned later = mask & (0xfffffffeu << (threadIdx.x % warp_lanes));
    unsigned place = rank;
    while (__any_sync(whole_warp, later != 0)) {
      const int next = __ffs(static_cast<int>(later)) - 1;
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        const T other = __shfl_sync(whole_warp, values[k], next < 0 ? 0 : next);
        if (next >= 0) values[k] += other;
      }
      later &= __ballot_sync(whole_warp, (place & 1) == 0);
      place >>= 1;
    }
  }
};

}  // namespace ablate
