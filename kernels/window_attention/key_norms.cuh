#pragma once

#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

/// Fills view::key_norms, in scratch, and empties the list of tiles that must be done again.
void measure_keys(launcher&, const problem&);

}  // namespace ablate::window_attention
