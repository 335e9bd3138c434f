#pragma once

#include "kernels/network/network.h"

namespace ablate::backbone {

/// The forward pass of a PTv3, without gradients, its arena not laid out yet.
network forward_of_ptv3(const model&, const grid_levels&, const window_shape&, layer_form, index_order,
                        pass_kind, const drop_path&);

}  // namespace ablate::backbone
