// The producer thread of attention to kept blocks on Hopper: queries, and of the keys and values those of the
// blocks whose bits are set, a box a block. The bits are read as they are met; a tile takes far longer than
// what its two boxes take to find.
#pragma once

#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/compression_attention/hopper_core/shape.cuh"

namespace ablate::compression_attention::by_warpgroup {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <forward_config C, class Chooser>
class kept_producer {
 public:
  using memory = memory_of<C, Chooser>;
  __device__ kept_producer(const tensor_maps& maps, const view& v, int, memory& shared)
      : maps_(maps), v_(v), shared_(shared) {}

  __device__ void run() {
    const query_tiles<C> tiles(v_);
    for (long long i = blockIdx.x; i < tiles.count(); i += gridDim.x) copy(tiles.head(i), tiles.first_row(i));
  }

 private:
  /// Of a product of int8 with the queries; where there is none, of no account.
  __device__ float scale_of(int head, int first_row, const key_box& box) const {
    if (!C.int8_scores || box.there == 0) return 1;
    const kept_blocks& of = v_.kept;
    return __ldg(v_.int8.q_scales + head * of.query_blocks() + first_row / kept_blocks::queries) *
           __ldg(v_.int8.k_scales + head * of.boxes(v_.rows) + of.box_of(box.first));
  }

  __device__ void copy(int head, int first_row) {
    kept_boxes boxes(v_, head, first_row);
    const int tiles = (boxes.count() + 1) / 2;
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
      const key_box first = boxes.next(), second = boxes.next();
      const unsigned stage = at_.stage;
      hopper::wait(shared_.keys_empty[stage], at_.parity ^ 1);
      // Consumers read it behind the barrier on which this thread arrives next.
      shared_.there[stage] = {first.there, second.there, scale_of(head, first_row, first),
                              scale_of(head, first_row, second)};
      copy_boxes<C.key_tile_bytes()>(shared_.keys[stage], maps_.keys, first, second, head,
                                     shared_.keys_full[stage]);
      // Groups free their queries late, so the first keys are on their way before.
      if (tile == 0) copy_queries(first_row, head);
      hopper::wait(shared_.values_empty[stage], at_.parity ^ 1);
      copy_boxes<C.block.tile_bytes()>(shared_.values[stage], maps_.values, first, second, head,
                                       shared_.values_full[stage]);
      at_.template advance<C.block.stages>();
    }
  }

  __device__ void copy_queries(int first_row, int head) {
    for (int g = 0; g < C.block.groups; ++g) {
      hopper::wait(shared_.queries_empty[g], queries_parity_);
      hopper::arrive_expecting(shared_.queries_full[g], rows_per_group * C.key_row_bytes());
      hopper::tma_load<width>(shared_.queries[g], maps_.queries, first_row + g * rows_per_group, 0, head,
                              shared_.queries_full[g]);
    }
    queries_parity_ ^= 1;
  }

  /// A box without keys is of rows that do not exist, which are copied as zeros.
  template <unsigned TileBytes>
  __device__ static void copy_boxes(unsigned char* to, const CUtensorMap& map, const key_box& first,
                                    const key_box& second, int head, hopper::barrier& full) {
    hopper::arrive_expecting(full, TileBytes);
    hopper::tma_load<width>(to, map, first.first, 0, head, full);
    hopper::tma_load<width>(to + TileBytes / 2, map, second.first, 0, head, full);
  }

  const tensor_maps& maps_;
  const view& v_;
  memory& shared_;
  hopper::ring_position at_;
  unsigned queries_parity_ = 1;
};

#endif

}  // namespace ablate::compression_attention::by_warpgroup
