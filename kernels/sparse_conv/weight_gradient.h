#pragma once

#include "kernels/common/launcher.h"
#include "kernels/sparse_conv/sparse_conv.h"

namespace ablate::sparse_conv {

/// The weights' gradient of C → C channels, and the bias', in a fixed order: the same bits each time.
void multiply_lists_of_gradients(launcher&, const problem&);

/// After the splits of a list, into a part each: adds up the parts of every list that has any, and zeroes
/// the gradient of lists without pairs.
void add_parts(launcher&, const problem&);

}  // namespace ablate::sparse_conv
