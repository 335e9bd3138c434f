// hopper_reduced at 16 elements a head with four warpgroups instead of two: tiles of 64 queries instead of
// 128 halve a thread's scores in registers, so 16 multiplying warps fit on a multiprocessor instead of 8. At
// this width the gradients take three times as long as their exponentials: a warp waits for scores,
// exponentiates, waits for dP, multiplies, synchronizes with the other warpgroup for dS, waits for dQ; with
// two warps per scheduler often both wait. dP of the next tile is issued after dK of this one, for lack of
// registers.
//   hopper_four_groups   two independent pairs of warpgroups, each with 128 keys and its own dQ; a warpgroup
//                        has 8 of dQ's 16 columns. One pair exponentiates while the other multiplies.
//                        Additions to dQ as before, one for each 128 keys.
//   hopper_private_dq   no pairs: a warpgroup has dQ of its own 64 keys, all columns. No waits between
//                        warpgroups; twice as many additions to dQ.
// The rings have four stages, so one pair may be three tiles ahead of the other. One launch computes row
// statistics and zeroes the sums of dQ. Should move, against hopper_reduced: issue slots in use, up from two
// of five; launches, by one; hopper_private_dq also L2's reductions, twice.
#include <stdexcept>

#include "kernels/window_attention_backward/cores.h"
#include "kernels/window_attention_backward/hopper_fused.cuh"

namespace ablate::window_attention_backward {

constexpr int preparing_threads = 256;

/// As sum_rows (row_statistics.cu); each lane also clears the sums of the eight elements that it has read.
template <int Width>
__global__ __launch_bounds__(preparing_threads) void sum_rows_and_clear(view v) {
  constexpr int lanes = Width / 8;
  const long long piece = static_cast<long long>(blockIdx.x) * preparing_threads + threadIdx.x,
                  at = piece / lanes;
  const bool is_there = at < v.batches * v.tokens * v.heads;
  const float delta = sum_row<Width>(v, at, is_there);
  if (!is_there) return;
  float4* const sums = reinterpret_cast<float4*>(v.q_gradient_sums) + 2 * piece;
  sums[0] = sums[1] = float4{};
  if (threadIdx.x % lanes != 0) return;
  // [batches][tokens][heads] to [batches][heads][tokens].
  const auto head = static_cast<int>(at % v.heads);
  const long long token = at / v.heads % v.tokens, batch = at / v.heads / v.tokens;
  store_statistics<statistics_order::quads>(v, v.place_of_row(static_cast<int>(batch), token, head), delta);
}

namespace {

template <int Sharing>
void differentiate_by_groups(launcher& to, const problem& p) {
  constexpr int width = 16;
  // All 65 536 registers but 4096: the warps of the producer have 32, those that multiply 112.
  constexpr fused_block block = {.width = width,
                                 .queries = 64,
                                 .groups = 4,
                                 .sharing = Sharing,
                                 .query_stages = 4,
                                 .gradient_stages = 4,
                                 .producer_registers = 32,
                                 .consumer_registers = 112,
                                 .overlaps = false,
                                 .staggered = true};
  if (p.attention.width != width)
    throw std::invalid_argument("four warpgroups a block: expected 16 elements a head");
  launch(to, sum_rows_and_clear<width>, dim3(blocks_for(p.attention.elements() / 8, preparing_threads)),
         dim3(preparing_threads), 0, view(p));
  launch_fused_on_hopper<fused_shape<block>, query_gradient_way::reductions>(to, p);
}

}  // namespace

void differentiate_by_four_groups(launcher& to, const problem& p) { differentiate_by_groups<2>(to, p); }

void differentiate_with_private_dq(launcher& to, const problem& p) { differentiate_by_groups<1>(to, p); }

}  // namespace ablate::window_attention_backward
