// A consumer warpgroup that overlaps products and softmax across query tiles. The mainloop (mainloop.cuh)
// overlaps them across key tiles; a query tile then ends with its last outputs, their store, and the softmax
// of the next tile's first scores, without a product of this group in flight and outside its turn. Here that
// softmax runs during the last outputs' product, in a turn like all others, and the operands of the next
// products are ready before the outputs are stored, while the other groups multiply.
#pragma once

#include "kernels/window_attention/hopper_core/mainloop.cuh"

namespace ablate::window_attention {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <forward_config C>
class streaming_consumer : consumer<C> {
  using base = consumer<C>;
  using softmax = row_softmax<C.softmax>;
  static_assert(C.block.overlaps && C.softmax.form == softmax_form::fixed_max && !C.inline_retry);

 public:
  using base::base;

  __device__ void run() {
    if (C.pingpong && this->group_ == C.block.groups - 1) this->pass_turn();
    const auto tiles = static_cast<unsigned>(tile_count<C.from_list>(this->v_)), apart = gridDim.x;
    unsigned i = blockIdx.x;
    if (i >= tiles) return;
    float s[keys_per_tile / 2], o[base::columns / 2];
    unsigned p[keys_per_tile / 4];
    this->compute_first_scores(s);
    begin(s);
    pack_probabilities(p, s);
    for (; i < tiles; i += apart) {
      for (int tile = 1; tile < this->v_.window / keys_per_tile; ++tile) pass_keys(s, p, o, tile > 1);
      const bool accumulates = this->v_.window > keys_per_tile;
      if (i + apart < tiles)
        turn_to_next_queries(i, s, p, o, accumulates);
      else
        end(i, p, o, accumulates);
    }
    if (this->leads_group()) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
  }

 private:
  using scores = float[keys_per_tile / 2];
  using probabilities = unsigned[keys_per_tile / 4];
  using outputs = float[base::columns / 2];

  /// The i-th query tile, found again once its outputs are there: until then it would take registers.
  __device__ query_tile tile(unsigned i) const {
    return tile_of<C.block>(this->v_, tile_index<C.from_list>(this->v_, i));
  }

  /// The softmax of a query tile's first keys.
  __device__ void begin(scores& s) {
    softmax_.begin();
    softmax_.look_at_first(s, this->v_.scale_log2);
    float rescale[2];
    softmax_.apply(s, this->v_.scale_log2, rescale);
  }

  /// Of the keys after the first: their scores and the outputs of the keys before them.
  __device__ void pass_keys(scores& s, probabilities& p, outputs& o, bool accumulates) {
    if constexpr (C.pingpong) this->await_turn();
    this->issue_scores_of(s);
    this->issue_outputs_of(o, p, accumulates);
    if constexpr (C.pingpong) this->pass_turn();
    hopper::wgmma_wait<1>();
    this->take_scores(s);
    float rescale[2];
    softmax_.apply(s, this->v_.scale_log2, rescale);
    hopper::wgmma_wait<0>();
    this->take_outputs(o);
    pack_probabilities(p, s);
  }

  /// The next queries' first scores and the last outputs of these.
  __device__ void turn_to_next_queries(unsigned i, scores& s, probabilities& p, outputs& o,
                                       bool accumulates) {
    if constexpr (C.pingpong) this->await_turn();
    this->leave_queries();
    this->issue_first_scores(s);
    this->issue_outputs_of(o, p, accumulates);
    if constexpr (C.pingpong) this->pass_turn();
    hopper::wgmma_wait<1>();
    this->take_scores(s);
    const softmax finished = softmax_;
    begin(s);
    hopper::wgmma_wait<0>();
    this->take_outputs(o);
    pack_probabilities(p, s);
    this->finish(tile(i), o, finished);
  }

  __device__ void end(unsigned i, const probabilities& p, outputs& o, bool accumulates) {
    this->leave_queries();
    this->issue_outputs_of(o, p, accumulates);
    hopper::wgmma_wait<0>();
    this->take_outputs(o);
    this->finish(tile(i), o, softmax_);
  }

  softmax softmax_;
};

#endif

}  // namespace ablate::window_attention
