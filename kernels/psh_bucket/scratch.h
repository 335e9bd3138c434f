#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

constexpr int block_points = 1024;  ///< threads per block, one point each
constexpr int max_prepare_blocks = 1024;
constexpr int key_count = 65536;
constexpr int keys_per_chunk = 1024, key_chunks = key_count / keys_per_chunk;

constexpr int extreme_count = 6;  ///< of a box: low x y z, then high x y z negated

/// The box as a kernel uses it: voxel = floor((c − low) · scale).
struct voxel_scale {
  float low[3], scale[3];
};

/// Workspace of the variants, all in one buffer except the tickets. Its contents are undefined before a
/// launch.
struct scratch {
  voxel_scale* box;                ///< one
  unsigned* tickets;               ///< [1]: the problem's
  int* block_extremes;             ///< [extreme_count][max_prepare_blocks]
  std::uint32_t* insert_count;     ///< [instances][buckets]: points by home bucket, where counted separately
  std::uint32_t* leftover_count;   ///< [instances][buckets], by home bucket
  std::uint32_t* claim_count;      ///< [instances][buckets]
  std::uint32_t* free_end;         ///< [instances][buckets]: inclusive prefix sum of free places
  std::uint32_t* leftover_begin;   ///< [instances][buckets]: exclusive prefix sum of leftover_count
  std::uint16_t* found;            ///< [points]: the bucket found when `rebalance` only searches
  std::uint32_t* block_histogram;  ///< [instances][blocks of the largest instance][buckets]
  std::uint32_t* key_histogram;    ///< [instances][65536]
  std::uint32_t* key_begin;        ///< [instances][65536]: exclusive prefix sum within the key's chunk
  std::uint32_t* chunk_total;      ///< [instances][64]
  std::size_t bytes;

  explicit scratch(const problem&);
};

/// Blocks needed to cover the largest instance at one point per thread.
inline std::int64_t blocks_of(const problem& p) {
  return (p.largest_instance + block_points - 1) / block_points;
}

}  // namespace ablate::psh_bucket
