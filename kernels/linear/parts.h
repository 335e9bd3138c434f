#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/linear/linear.h"

namespace ablate::linear {

/// The steps that launch functions consist of.

/// Normalizes the rows into `normed`: what is left is the layer without a norm.
problem with_norm_launched(launcher&, const problem&);

/// Y by cuBLASLt, with its own epilogues or each in a launch of its own.
void library_forward(launcher&, const problem&, bool has_epilogues);
void library_input_gradient(launcher&, const problem&);
/// With the bias's gradient; without epilogues only where it is wanted.
void library_weight_gradient(launcher&, const problem&, bool has_epilogues);

/// Y by mma.sync: K in steps through shared memory; or, with a norm in front, 64 rows of X resident there.
void mma_forward(launcher&, const problem&);
void mma_normed_forward(launcher&, const problem&);
void mma_input_gradient(launcher&, const problem&);
/// With the bias's gradient, summed by the product; or by launches of its own, in `partial`.
void mma_weight_gradient(launcher&, const problem&);
void mma_weight_gradient_then_sums(launcher&, const problem&);
/// One of the two.
using own_weight_gradient = void (*)(launcher&, const problem&);

/// Y by wgmma, from multiples of 64 channels: without a norm; or with one, from 64, 128 or 256.
void hopper_forward(launcher&, const problem&);
void hopper_normed_forward(launcher&, const problem&);

/// One of the four above.
using own_forward = void (*)(launcher&, const problem&);

/// Y by one of them in the form of its product and the bias, to `product`, and a launch for all else.
void forward_then_finish(launcher&, const problem&, own_forward);

/// Y by one of two of them, norm and epilogue in it or in launches of their own, as the switches `norm` and
/// `epilogue` say.
void forward_by(launcher&, const problem&, const switches&, own_forward plain, own_forward normed);

}  // namespace ablate::linear
