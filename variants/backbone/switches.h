// What can be chosen about a pass (docs/operations/backbone.md). How each is read: kernels/backbone/run.h.
#pragma once

#include <vector>

#include "harness/registry/operation.h"

namespace ablate::backbone {

/// Of backbone and of block.
inline std::vector<switch_facts> switches_of_a_pass() {
  const char* const as_flash3d = "Flash3D, arXiv 2412.16481, supplement, §10.3";
  return {
      {"layers",
       "who computes linear layers and MLPs",
       {{"cublaslt", "cuBLASLt, with launches for norms and activations"},
        {"cublaslt_separate", "cuBLASLt's products alone, everything else in launches"},
        {"own", "own kernels with norm and epilogue inside; an MLP in one launch where C ≤ 128"},
        {"per_layer_best", "each layer by the faster of cuBLASLt and own kernels"}},
       "launches; L2 bytes per block, to a third with own kernels"},
      {"core",
       "which instructions own layers multiply by",
       {{"wgmma", "wgmma, operands by TMA"}, {"mma", "mma.sync"}},
       "tensor pipe activity, up with wgmma"},
      {"attention",
       "the kernel of attention, as window_attention names it",
       {{"hopper_fixed_max", "wgmma, a maximum fixed after the first keys"},
        {"hopper_exp2_bf16x2", "wgmma, exponentials in 16-bit pairs, for heads of at most 32 channels"},
        {"hopper_wave_fit",
         "wgmma in one launch, tiles that fill the last wave, for heads of at most 32 "
         "channels"},
        {"mma_online", "mma.sync, a running maximum"},
        {"mma_fixed_max", "mma.sync, a maximum fixed after the first keys"},
        {"mma_exp2_bf16x2", "mma.sync, exponentials in 16-bit pairs, for heads of at most 32 channels"},
        {"mma_published", "mma.sync, one block per window and head, as published"}},
       "time of attention"},
      {"dq",
       "how attention's backward pass sums dQ, in training",
       {{"reductions", "by fp32 reductions to memory"},
        {"persistent", "by fp32 reductions, in persistent blocks"},
        {"two_pass", "in registers, by a kernel of its own: bitwise reproducible"},
        {"window_per_cta", "in blocks that hold all keys of a window: bitwise reproducible"},
        {"four_groups", "by reductions of four warpgroups in pairs, for heads of 16 channels"},
        {"private", "by reductions of four warpgroups, each alone, for heads of 16 channels"}},
       "L2 reductions; tensor instructions, 5 products or 7 with two_pass"},
      {"pdl",
       "whether an own kernel starts while the one before still runs: programmatic dependent launch",
       {{"on", "it does"}, {"off", "it waits"}},
       "idle time between kernels, down"},
      {"weights",
       "where gradients of parameters run, in training",
       {{"second_stream", "on a second stream, awaited behind each attention's gradients"},
        {"second_stream_to_end", "on a second stream, awaited at the end"},
        {"off", "between the gradients of rows"}},
       "SM activity, up where levels have few rows"},
      {"exp2",
       "exponentials of attention that are computed in 16-bit pairs",
       {{"bf16x2_4of16", "4 of 16"}, {"bf16x2_6of16", "6 of 16"}},
       "operations of the exponential unit, from 16 to 12 or 10 of 16"},
      only_with("attention", {"mma_published"},
                {"normalize",
                 "when published attention divides by a row's sum",
                 {{"per_step", "every 16 keys"}, {"at_end", "once, at the end"}},
                 "instructions per score, down",
                 as_flash3d}),
      only_with("attention", {"mma_published"},
                {"exponential", "of published attention", {{"expf", "expf of scores"}}}),
      only_with("attention", {"mma_published"},
                {"smem_request",
                 "shared memory that published attention requests",
                 {{"max", "all of the SM's"}, {"needed", "what it uses"}},
                 "warps per SM, up",
                 as_flash3d}),
      only_with(
          "attention", {"mma_published"},
          {"grid",
           "what a block of published attention has",
           {{"windows", "all queries of a window and head"}, {"query_blocks", "one block of its queries"}},
           "active SMs, up where windows are few",
           as_flash3d}),
  };
}

/// Of backbone alone.
inline std::vector<switch_facts> switches_of_a_backbone() {
  std::vector<switch_facts> all = switches_of_a_pass();
  all.insert(
      all.end(),
      {{"index",
        "how PTv3's codes, orders and grid pools are computed",
        {{"published", "in the steps of the published code"}, {"off", "in fewer kernels"}},
        "launches, up",
        "PTv3, arXiv 2312.10035, its code"},
       {"steps",
        "what stands between layers and attention",
        {{"fused", "one launch clears for all steps; PTv3's norms, residuals and moves take two per block"},
         {"off", "each step in its launches"}},
        "launches; L2 bytes, down"},
       {"tiles",
        "query tiles of attention in heads of 16 channels",
        {{"wave_fit", "192 queries where 256 would leave most SMs idle in the last wave"},
         {"wave_fit_overlapped",
          "192 queries, the next scores' product issued together with the last outputs'"},
         {"off", "256 queries"}},
        "SM activity in layers of few tiles, up"},
       {"pools",
        "where the index of pools in buckets is made",
        {{"second_stream", "on a second stream, beside the first level's blocks"},
         {"off", "in front of them"}},
        "time in front of the first level's blocks, to none"},
       {"prefetch",
        "what is fetched to L2 while attention runs",
        {{"weights", "weights of the layers behind it"}, {"off", "nothing"}},
        "DRAM reads of the layers behind attention, down"}});
  return all;
}

}  // namespace ablate::backbone
