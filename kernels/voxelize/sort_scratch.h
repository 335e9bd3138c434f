#pragma once

#include <cstddef>

#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// A point's cell in the batch as one number to sort by. On a Morton curve: the cloud above the cell's code,
/// x lowest; or linear: the cell's index in the grid of the whole batch. Points outside have the key `none`,
/// above all others.
struct cell_keys {
  static constexpr int brick_axis_bits = 3;  ///< 8 × 8 × 8 cells with consecutive Morton codes

  bool morton;
  int axis_bits;  ///< bits of a Morton code per axis; a cloud is cut into whole bricks
  unsigned long long none;

  cell_keys(const problem&, bool morton);
  int code_bits() const { return 3 * axis_bits; }
  int key_bits() const;  ///< of `none`: the bits that a sort has to look at
};

/// 4 if every key of the problem fits in 32 bits, else 8.
std::size_t key_bytes(const problem&);

/// Scratch memory of the variants that sort, in one buffer.
struct sort_scratch {
  std::byte* keys;       ///< [batch][points_per_cloud] of key_bytes: in the order of the points
  std::byte* sorted;     ///< as above: ascending
  std::byte* temporary;  ///< [temporary_bytes]: for CUB's sort
  std::size_t temporary_bytes;
  std::size_t bytes;

  explicit sort_scratch(const problem&);
};

}  // namespace ablate::voxelize
