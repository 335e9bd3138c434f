#pragma once

#include "kernels/network/run.h"

namespace ablate::backbone {

/// Launches a gradient step as the variant does it: products by the network's form, attention's gradients by
/// its switches
///   attention  mma_…: by mma.sync, in two passes; else by wgmma
///   dq         two_pass, or owned by blocks that have all keys of a window; bulk, reductions, persistent,
///              four_groups or private_dq, which add to dQ in another order each time
void run_gradient_step(launcher&, const problem&, const network&, const step&, const switches&);

/// The same, but gradients of parameters that no step after it needs by the second launcher, as soon as what
/// they need is there: network::works_beside.
void run_gradient_step_beside(launcher&, launcher& second, const problem&, const network&, const step&,
                              const switches&);

/// Of steps whose rows are pooled, normalized by their own statistics, embedded or put back.
void run_rows_gradient(launcher&, const problem&, const network&, const step&);

/// Whether a variant's gradients are other ones each time.
bool adds_gradients_by_atomics(const network&, const switches&);

}  // namespace ablate::backbone
