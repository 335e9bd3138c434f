#pragma once

#include "kernels/backbone/backbone.h"
#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"

namespace ablate::backbone {

/// The form of a variant's layers, by its switches `layers` and `core`.
layer_form form_of(const switches&);

/// Launches a step as the variant does it, by its switches
///   layers     cublaslt; cublaslt_separate; own; or by_shape, each as the network has it
///   core       mma or wgmma: products of own kernels
///   weights    beside: gradients of parameters on a second stream (gradient_run.h), for which the pass waits
///              after each attention's; beside_to_end: at its end alone; of by_shape on wgmma
///   launch     overlapped: own kernels begin while the preceding one still runs
///   pools      beside: the index of pools in buckets on a second stream, until the first one needs it
///   prefetch   weights: to L2 while attention runs, by the second stream (weights_ahead.h)
///   steps      joined: what is between layers and attention, in fewer launches (network::joins)
///   attention  hopper_fixed_max; hopper_wave_fit or hopper_exp2_bf16x2, at heads of more than 32 channels as
///              hopper_fixed_max; mma_online, mma_published or mma_fixed_max; mma_exp2_bf16x2, at such heads
///              as mma_fixed_max; where windows are partial, mma_online alone
///   exp2, tiles  hopper_exp2_bf16x2's; exp2 also mma_exp2_bf16x2's
void run_step(launcher&, const problem&, const network&, const step&, const switches&);

}  // namespace ablate::backbone
