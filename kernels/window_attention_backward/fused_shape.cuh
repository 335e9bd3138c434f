// The block shape of the kernel that computes all gradients (hopper_fused.cuh), and its shared memory.
#pragma once

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/common/hopper/wgmma.cuh"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

/// Where a block's partial dQ goes, and how.
enum class query_gradient_way {
  bulk,        ///< added to sums shared by all blocks, by bulk copies from shared memory
  reductions,  ///< added to sums shared by all blocks, by reductions from registers
  parts,       ///< bulk copies into one buffer per block of keys; the buffers are added in key order
  own_sums,    ///< a block has all keys of a window: its first ones store its sums, its last ones round them
  /// As the first two, and whichever block adds last to the sums of a tile of queries rounds them
  /// (last_rounding.cuh).
  bulk_then_rounded,
  reductions_then_rounded
};
template <query_gradient_way Way>
inline constexpr bool by_bulk_copies =
    Way == query_gradient_way::bulk || Way == query_gradient_way::bulk_then_rounded ||
    Way == query_gradient_way::parts;
template <query_gradient_way Way>
inline constexpr bool last_rounds =
    Way == query_gradient_way::bulk_then_rounded || Way == query_gradient_way::reductions_then_rounded;

/// Keys per warpgroup.
constexpr int keys_of_a_group = 64;

/// A thread block of the kernel of all gradients: one warpgroup copies, the others own 64 keys each.
struct fused_block {
  int width = 64;     ///< elements of a head
  int queries = 128;  ///< of a tile: 64 or 128
  int groups = 2;     ///< consumer warpgroups
  int sharing = 2;    ///< 1, or 2 that compute a part of dQ together, each half of a tile's rows of 128, or
                      ///< half of the columns of 64
  int query_stages = 3, gradient_stages = 2;              ///< of the rings of Q and of dO
  int producer_registers = 24, consumer_registers = 240;  ///< of a thread
  /// dP of the next tile is issued before dK of this one is complete, where registers allow.
  bool overlaps = false;
  /// Blocks of a window start at different queries, so that they do not add to the same sums at once.
  bool staggered = false;
  /// Of keys and values: 2 where a block is persistent, whose next ones are copied during the products with
  /// these.
  int buffers = 1;
};

template <fused_block Block>
struct fused_shape {
  static constexpr int width = Block.width, queries = Block.queries, groups = Block.groups,
                       sharing = Block.sharing;
  static_assert(groups % sharing == 0 && (queries == 64 || sharing == 2));
  static constexpr int units = groups / sharing;
  static constexpr bool overlaps = Block.overlaps, staggered = Block.staggered;
  static constexpr int query_stages = Block.query_stages, gradient_stages = Block.gradient_stages;
  static constexpr int buffers = Block.buffers;
  static constexpr bool persistent = buffers > 1;
  static constexpr int producer_registers = Block.producer_registers,
                       consumer_registers = Block.consumer_registers;
  static constexpr int threads = 128 * (1 + groups), keys = keys_of_a_group * groups;
  static constexpr int span_bytes = width >= 64 ? 128 : 2 * width;
  using swizzle = hopper::swizzle<span_bytes>;
  using gradient_swizzle = hopper::swizzle<128>;  ///< for dS, whose rows are 64 keys
  static constexpr unsigned group_bytes = keys_of_a_group * width * 2, tile_bytes = queries * width * 2,
                            gradient_panel_bytes = queries * 2 * keys_of_a_group;
  static constexpr int dq_columns = queries == 64 ? width / sharing : width;
  static constexpr int dq_numbers = 16 * dq_columns;  ///< per warp
};

template <class Shape, query_gradient_way Way>
struct key_block_memory {
  alignas(1024) unsigned char k[Shape::buffers][Shape::groups][Shape::group_bytes];
  alignas(1024) unsigned char v[Shape::buffers][Shape::groups][Shape::group_bytes];
  alignas(1024) unsigned char q[Shape::query_stages][Shape::tile_bytes];
  alignas(1024) unsigned char out_gradient[Shape::gradient_stages][Shape::tile_bytes];
  /// [query][key], panels of 64 keys; this tile's and the one before's.
  alignas(1024) unsigned char ds[Shape::units][2][Shape::sharing][Shape::gradient_panel_bytes];
  alignas(128) float dq[4 * Shape::groups][by_bulk_copies<Way> ? Shape::dq_numbers : 4];
  alignas(128) float statistics[Shape::query_stages][2 * Shape::queries];
  int rows[Shape::query_stages];
  row_block blocks[Shape::buffers];  ///< of keys: those in the buffers
  /// By each warp of the producer warpgroup but its first: of how many of the block's windows, after the
  /// first one, it has summed its rows (row_sums.cuh).
  unsigned summed[3];
  /// By each warp of the consumers: to how many tiles' sums it has added (last_rounding.cuh).
  unsigned added[4 * Shape::groups];
  hopper::barrier k_full[Shape::buffers], k_empty[Shape::buffers], v_full[Shape::buffers],
      v_empty[Shape::buffers], q_full[Shape::query_stages], q_empty[Shape::query_stages],
      out_gradient_full[Shape::gradient_stages], out_gradient_empty[Shape::gradient_stages];
};

/// Tensor maps of K and V: boxes of 64 rows; of Q and dO: of a tile.
struct fused_maps {
  CUtensorMap q, out_gradient, k, v;
};

}  // namespace ablate::window_attention_backward
