#pragma once

#include "kernels/selection_inversion/selection_inversion.h"

namespace ablate::selection_inversion {

/// The oracle, rows ascending; its pointers are the host's.
void reference(const problem&);

}  // namespace ablate::selection_inversion
