#pragma once

#include "kernels/unique_rows/unique_rows.h"

namespace ablate::unique_rows {

/// The oracle, into host buffers: the smallest row of each coordinate, the count, and status_ok.
void reference(const problem&);

}  // namespace ablate::unique_rows
