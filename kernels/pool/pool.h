#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::pool {

/// Points to clusters and clusters to one row each, with unpooling and gradients (docs/operations/pool.md).
/// Flash3D pools within buckets: blocks of 1024 consecutive rows in bucket order, cut into clusters of a
/// fixed ratio. PTv3 pools by grid: the points of each cell of a coarser grid, found by the codes and orders
/// that its attention has already.

enum class clustering {
  in_bucket,    ///< neighbors on a block's Morton curve
  three_steps,  ///< as described in words: hash, allocate, search for the nearest center with room
  grid          ///< cells of a grid `1 << shift` times as coarse
};

enum class reduction { mean, sum, minimum, maximum };

/// The phases of the work. A problem runs those from `first` to `last`; after `finish` each runs alone.
enum class phase {
  order,            ///< the bucket order itself, by psh_bucket
  index,            ///< which rows form a cluster, and the clusters' coordinates, cells, codes, orders
  reduce,           ///< features of a cluster's rows to one row
  finish,           ///< batch norm by running statistics, then GELU
  unpool,           ///< a cluster's row back to its rows, added to what these skipped with
  reduce_backward,  ///< gradients of `reduce` to the rows
  unpool_backward   ///< gradients of `unpool` to the clusters
};

/// The part that the host plays.
enum class host_role {
  absent,     ///< never waited for; counts that the published code reads are known beforehand
  published,  ///< the published steps wait where the published code does
  graph       ///< as absent, in one launch of a CUDA graph
};

constexpr int block_points = 1024;  ///< rows of a block in bucket order
constexpr int cell_bits = 13, cell_count = 1 << cell_bits;
constexpr int max_ratio = 8, max_curves = 4, max_channels = 1024;
constexpr int max_instances = 512;                            ///< a batch number in a hash table's key
constexpr std::int64_t max_points = std::int64_t{1} << 24;    ///< of all instances
constexpr std::int64_t max_elements = std::int64_t{1} << 27;  ///< points times channels
constexpr std::uint8_t late_winner = 255;  ///< a winner in this slot or a later one: to be searched again
constexpr float norm_epsilon = 1e-3f;

struct problem {
  clustering how = clustering::in_bucket;
  int instances = 1;
  std::int64_t points = 0;   ///< N, of all instances
  std::int64_t largest = 0;  ///< of an instance
  int ratio = 2;             ///< in_bucket, three_steps: rows of a cluster
  int shift = 1;             ///< grid: halvings of the grid; at most `depth`
  /// R, the clusters. In buckets it follows from the sizes. Of a grid it is known from the input; only what
  /// has it from the device in the published steps may use it.
  std::int64_t rows = 0;
  std::int64_t padded_rows = 0;  ///< in_bucket: rows with those past R, which are zeros; grid: R
  int channels = 0;              ///< a multiple of 8
  reduction op = reduction::mean;
  int curves = 4;            ///< grid: 1 or 4 orders
  std::int64_t spacing = 0;  ///< grid: pitch() where levels share it; 0: that of the points
  int depth = 0;         ///< grid: bits of a cell's coordinate; a code is instance · 2^(3 · depth) | place
  bool rotates = false;  ///< each block is turned at random before it is cut into cells
  bool trains = false;   ///< minimum and maximum keep their winners
  std::uint32_t seed = 1;
  phase first = phase::index, last = phase::finish;
  host_role host = host_role::absent;
  psh_bucket::problem hashing = {};  ///< of phase `order`

  // Inputs. Arrays over curves have rows of pitch().
  const std::uint32_t* ends = nullptr;            ///< [instances]: end of each instance, cumulative
  const std::uint16_t* coordinates = nullptr;     ///< in_bucket: fp16 [N][3], meters, in bucket order
  const float* positions = nullptr;               ///< grid: [N][3], meters
  const std::int32_t* cells = nullptr;            ///< grid: [N][3], from 0
  const std::uint64_t* codes = nullptr;           ///< grid: [curves][pitch]: of each row
  const std::int32_t* orders = nullptr;           ///< grid: [curves][pitch]: rows by ascending code
  const std::uint16_t* features = nullptr;        ///< bf16 [N][channels], finite
  const float* norm = nullptr;                    ///< [4][channels]: mean, variance, gamma, beta
  const std::uint16_t* skipped = nullptr;         ///< unpool: bf16 [N][channels]
  const std::uint16_t* down = nullptr;            ///< unpool: bf16 [capacity][channels]
  const std::uint16_t* row_gradient = nullptr;    ///< reduce_backward: bf16 [capacity][channels]
  const std::uint16_t* point_gradient = nullptr;  ///< unpool_backward: bf16 [N][channels]

  // The index. Of capacity() rows those past R are unspecified, except for the padding in buckets.
  std::uint32_t* start = nullptr;       ///< [capacity + 1]: first of each cluster's members; start[R] = N
  std::uint32_t* member = nullptr;      ///< [N]: rows, cluster after cluster
  std::uint32_t* cluster = nullptr;     ///< [N]: of each row
  std::int32_t* count = nullptr;        ///< [instances + 1]: clusters of the instances before; at last R
  std::uint16_t* half_out = nullptr;    ///< in_bucket: fp16 [capacity][3]: mean of the members; padding 0
  float* position_out = nullptr;        ///< grid: [capacity][3]: mean of the members
  std::int32_t* cell_out = nullptr;     ///< grid: [capacity][3]
  std::uint64_t* code_out = nullptr;    ///< grid: [curves][pitch]: of each cluster
  std::int32_t* order_out = nullptr;    ///< grid: [curves][pitch]: clusters by ascending code
  std::int32_t* inverse_out = nullptr;  ///< grid: [curves][pitch]: each cluster's place in that order

  // Rows, bf16; padding is 0.
  std::uint16_t* pooled = nullptr;            ///< [capacity][channels]
  std::uint8_t* winner = nullptr;             ///< [capacity][channels]: slot among the cluster's members
  std::uint16_t* finished = nullptr;          ///< [capacity][channels]
  std::uint16_t* up = nullptr;                ///< [N][channels]
  std::uint16_t* feature_gradient = nullptr;  ///< [N][channels]
  std::uint16_t* down_gradient = nullptr;     ///< [capacity][channels]

  /// state_words(problem), zero before a launch and after it.
  std::uint32_t* state = nullptr;
  void* scratch = nullptr;  ///< scratch_bytes(problem)

  bool does(phase p) const { return first <= p && p <= last; }
  bool is_grid() const { return how == clustering::grid; }
  bool selects() const { return op == reduction::minimum || op == reduction::maximum; }
  std::int64_t capacity() const { return is_grid() ? points : padded_rows; }
  /// Whole 16-byte words, from each curve on.
  std::int64_t pitch() const { return spacing > 0 ? spacing : (points + 3) / 4 * 4; }
};

/// Working memory for the variant that needs the most, bytes.
std::size_t scratch_bytes(const problem&);
std::int64_t state_words(const problem&);

}  // namespace ablate::pool
