#pragma once

#include "kernels/list_transpose/list_transpose.h"

namespace ablate::list_transpose {

/// The oracle, rows ascending; its pointers are the host's.
void reference(const problem&);

}  // namespace ablate::list_transpose
