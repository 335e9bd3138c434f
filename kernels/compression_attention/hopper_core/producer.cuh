// The producer thread of compression attention on Hopper, by TMA: queries, and of the keys and values all.
#pragma once

#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/compression_attention/hopper_core/shape.cuh"

namespace ablate::compression_attention::by_warpgroup {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The thread that copies.
template <forward_config C, class Chooser>
class producer {
 public:
  using memory = block_memory<C, Chooser>;
  __device__ producer(const tensor_maps& maps, const view& v, int keys_before, memory& shared)
      : maps_(maps), v_(v), keys_before_(keys_before), shared_(shared) {}

  __device__ void run() {
    const query_tiles<C> tiles(v_);
    for (long long i = blockIdx.x; i < tiles.count(); i += gridDim.x) copy(tiles.head(i), tiles.first_row(i));
  }

 private:
  __device__ void copy(int head, int first_row) {
    const key_tiles keys = key_tiles_of<C>(v_, first_row, keys_before_);
    // Groups free their queries late, so the first keys are on their way before.
    const int seeding = Chooser::is_seeded ? seeding_tiles<C>(keys) : 0;
    for (int tile = 0; tile < seeding; ++tile) {
      copy_keys(keys[tile], head);
      if (tile == 0) copy_queries(first_row, head);
    }
    for (int tile = 0; tile < keys.count; ++tile) {
      copy_keys(keys[tile], head);
      if (tile == 0 && seeding == 0) copy_queries(first_row, head);
      copy_tile(shared_.values[values_at_.stage], maps_.values, keys[tile], head,
                shared_.values_full[values_at_.stage], shared_.values_empty[values_at_.stage],
                values_at_.parity);
      values_at_.template advance<C.block.stages>();
    }
  }

  __device__ void copy_keys(int tile, int head) {
    copy_tile(shared_.keys[keys_at_.stage], maps_.keys, tile, head, shared_.keys_full[keys_at_.stage],
              shared_.keys_empty[keys_at_.stage], keys_at_.parity);
    keys_at_.template advance<C.block.stages>();
  }

  __device__ void copy_queries(int first_row, int head) {
    for (int g = 0; g < C.block.groups; ++g) {
      hopper::wait(shared_.queries_empty[g], queries_parity_);
      hopper::arrive_expecting(shared_.queries_full[g], group_bytes);
      hopper::tma_load<width>(shared_.queries[g], maps_.queries, first_row + g * rows_per_group, 0, head,
                              shared_.queries_full[g]);
    }
    queries_parity_ ^= 1;
  }

  __device__ static void copy_tile(void* to, const CUtensorMap& map, int tile, int head,
                                   hopper::barrier& full, hopper::barrier& empty, unsigned parity) {
    hopper::wait(empty, parity ^ 1);
    hopper::arrive_expecting(full, C.block.tile_bytes());
    hopper::tma_load<width>(to, map, tile * C.block.keys, 0, head, full);
  }

  const tensor_maps& maps_;
  const view& v_;
  int keys_before_;
  memory& shared_;
  hopper::ring_position keys_at_, values_at_;
  unsigned queries_parity_ = 1;
};

#endif

}  // namespace ablate::compression_attention::by_warpgroup
