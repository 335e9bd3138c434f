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

/// The shape of a block: one producer warpgroup, and `Groups` consumer warpgroups with 64 keys each, of which
/// `Sharing` (1 or 2) compute a part of dQ together. Tiles of `Queries` (64 or 128): sharing warpgroups each
/// take half of a large tile's rows of dQ, or half of a small one's columns. `Overlaps`: dP of the next tile
/// is issued before dK of this one is complete, where registers allow. `Staggered`: blocks of a window start
/// at different queries, so they do not add to the same sums at once. `Buffers` of keys and values: 2 where a
/// block is persistent, whose next ones are copied during the products with these.
template <int Width, int Queries, int Groups, int Sharing, int QueryStages, int GradientStages,
          int ProducerRegisters, int ConsumerRegisters, bool Overlaps, bool Staggered, int Buffers = 1>
struct fused_shape {
  static_assert(Groups % Sharing == 0 && (Queries == 64 || Sharing == 2));
  static constexpr int width = Width, queries = Queries, groups = Groups, sharing = Sharing;
  static constexpr int units = Groups / Sharing;
  static constexpr bool overlaps = Overlaps, staggered = Staggered;
  static constexpr int query_stages = QueryStages, gradient_stages = GradientStages;
  static constexpr int buffers = Buffers;
  static constexpr bool persistent = Buffers > 1;
  static constexpr int producer_registers = ProducerRegisters, consumer_registers = ConsumerRegisters;
  static constexpr int threads = 128 * (1 + Groups), keys = keys_of_a_group * Groups;
  static constexpr int span_bytes = Width >= 64 ? 128 : 2 * Width;
  using swizzle = hopper::swizzle<span_bytes>;
  using gradient_swizzle = hopper::swizzle<128>;  ///< for dS, whose rows are 64 keys
  static constexpr unsigned group_bytes = keys_of_a_group * Width * 2, tile_bytes = Queries * Width * 2,
                            gradient_panel_bytes = Queries * 2 * keys_of_a_group;
  static constexpr int dq_columns = Queries == 64 ? Width / Sharing : Width;
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
  /// By each warp of the producer warpgroup but its first: of how many of the block's windows, behind the
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
