#pragma once

#include "kernels/psh_bucket/grid_share.cuh"

namespace ablate::psh_bucket {

/// The points of a block's only part in shared memory: coordinates from the first phase on, and finally each
/// point's row and the row order. Rows are written in row order, so a warp's lanes share sectors; in point
/// order each point would touch its own.
class staging {
 public:
  static constexpr std::size_t bytes_per_point =
      sizeof(std::uint32_t) + 3 * sizeof(__half) + sizeof(std::uint16_t);
  static constexpr std::size_t further_bytes = 64;  ///< alignment slack
  /// Of one whose rows and row order are not used.
  static constexpr std::size_t coordinate_bytes = 3 * sizeof(__half);

  /// `memory`, aligned to 16 bytes: bytes_per_point · capacity + further_bytes; the capacity is even.
  __device__ staging(void* memory, unsigned capacity)
      : window_(static_cast<uint4*>(memory)),
        rows_(reinterpret_cast<std::uint32_t*>(static_cast<char*>(memory) + further_bytes +
                                               3 * sizeof(__half) * capacity)),
        order_(reinterpret_cast<std::uint16_t*>(rows_ + capacity)),
        capacity_(capacity) {}

  /// Loads the part's coordinates, 16 bytes per access, and returns the extremes of everything loaded: the
  /// part and a neighboring point or two. The caller synchronizes the block before reading them.
  __device__ extremes load(const view& v, const instance_part& part) {
    const unsigned long long end = 3ull * part.end, whole = 3ull * v.points / 8;
    const unsigned long long first = 3ull * part.begin / 8;
    first_ = static_cast<unsigned>(3ull * part.begin - 8 * first);
    const auto vectors = static_cast<unsigned>(min((end + 7) / 8, whole) - first);
    const auto* from = reinterpret_cast<const uint4*>(v.coordinates) + first;
    // Three vectors are eight points, so a number's position fixes its axis in every third vector: threads
    // step by a multiple of three, and pairs hold (a b)(c a)(b c)(a b), where a is the axis of the thread's
    // first number.
    const unsigned step = blockDim.x / 3 * 3;
    __half2 least[3], greatest[3];
#pragma unroll
    for (int pair = 0; pair < 3; ++pair) {
      least[pair] = __half2half2(__ushort_as_half(0x7c00));
      greatest[pair] = __half2half2(__ushort_as_half(0xfc00));
    }
#pragma unroll 2
    for (unsigned i = threadIdx.x < step ? threadIdx.x : vectors; i < vectors; i += step) {
      union {
        uint4 vector;
        __half2 pairs[4];
      } loaded = {from[i]};
      window_[i] = loaded.vector;
#pragma unroll
      for (unsigned pair = 0; pair < 4; ++pair) {
        least[pair % 3] = __hmin2(least[pair % 3], loaded.pairs[pair]);
        greatest[pair % 3] = __hmax2(greatest[pair % 3], loaded.pairs[pair]);
      }
    }
    const __half low[3] = {__hmin(__low2half(least[0]), __high2half(least[1])),
                           __hmin(__high2half(least[0]), __low2half(least[2])),
                           __hmin(__low2half(least[1]), __high2half(least[2]))};
    const __half high[3] = {__hmax(__low2half(greatest[0]), __high2half(greatest[1])),
                            __hmax(__high2half(greatest[0]), __low2half(greatest[2])),
                            __hmax(__low2half(greatest[1]), __high2half(greatest[2]))};
    const auto axis_of_first = static_cast<int>(8 * (first + threadIdx.x) % 3);
    extremes mine;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int k = (axis + 3 - axis_of_first) % 3;
      mine.least[axis] = ordered_half(k == 0 ? low[0] : k == 1 ? low[1] : low[2]);
      mine.least[axis + 3] = -ordered_half(k == 0 ? high[0] : k == 1 ? high[1] : high[2]);
    }
    // The tail of the array, if it does not fill a vector.
    const unsigned long long rest = 8 * (first + vectors) + threadIdx.x;
    if (rest < end) {
      const __half c = v.coordinates[rest];
      reinterpret_cast<__half*>(window_)[rest - 8 * first] = c;
      const int axis = static_cast<int>(rest % 3);
      for (int a = 0; a < 3; ++a) {
        if (a != axis) continue;
        mine.least[a] = min(mine.least[a], ordered_half(c));
        mine.least[a + 3] = min(mine.least[a + 3], -ordered_half(c));
      }
    }
    return mine;
  }

  __device__ const __half* coordinates(unsigned i) const {
    return reinterpret_cast<const __half*>(window_) + first_ + 3 * i;
  }
  /// Row of the part's point i; until rows are assigned, per-point state of the variant.
  __device__ std::uint32_t& row(unsigned i) { return rows_[i]; }
  /// Puts point i at this place in row order.
  __device__ void put(unsigned place, unsigned i) { order_[place] = static_cast<std::uint16_t>(i); }

  /// The first byte past the staged arrays.
  __device__ std::uint32_t* end() const { return reinterpret_cast<std::uint32_t*>(order_ + capacity_); }

  /// Writes the part's rows, where `row_of(i)` is point i's row. Called by the whole block after a barrier. A
  /// warp takes 32 rows at a time; each lane looks up one, and their coordinates go out as 96 consecutive
  /// numbers.
  template <class RowOf>
  __device__ void write(const view& v, const instance_part& part, RowOf row_of) const {
    const unsigned count = part.end - part.begin, lane = threadIdx.x % 32;
    for (unsigned first = threadIdx.x - lane; first < count; first += blockDim.x) {
      const unsigned here = min(32u, count - first);
      unsigned i = 0, row = 0;
      if (lane < here) {
        i = order_[first + lane];
        row = row_of(i);
        v.source[row] = part.begin + i;
      }
#pragma unroll
      for (unsigned third = 0; third < 3; ++third) {
        const unsigned number = 32 * third + lane, place = number / 3, axis = number - 3 * place;
        const unsigned of_point = __shfl_sync(~0u, i, place), to_row = __shfl_sync(~0u, row, place);
        if (place < here) v.scattered[3ull * to_row + axis] = coordinates(of_point)[axis];
      }
    }
  }

 private:
  uint4* window_;
  std::uint32_t* rows_;
  std::uint16_t* order_;
  unsigned capacity_;
  unsigned first_ = 0;  ///< index in the window of the part's first number
};

/// How much of a part fits in shared memory beside the kernel's own `fixed` bytes, with `per_point` bytes for
/// each point, the staging's and the kernel's own.
struct held_part {
  unsigned points = 0;  ///< even; 0: the part does not fit, or a block has several
  std::size_t dynamic_shared_bytes;

  held_part(const launcher& to, const problem& p, unsigned blocks, std::size_t fixed, std::size_t per_point)
      : dynamic_shared_bytes(fixed) {
    const auto part = static_cast<std::size_t>(points_of_largest_part(p, blocks) + 1) / 2 * 2;
    const std::size_t wanted = fixed + staging::further_bytes + part * per_point;
    constexpr std::size_t ranks = 65536;  // ranks of a part's points are 16 bits
    if (part == 0 || part >= ranks || wanted + max_static_shared > to.device().shared_bytes_per_block) return;
    points = static_cast<unsigned>(part);
    dynamic_shared_bytes = wanted;
  }
};

}  // namespace ablate::psh_bucket
