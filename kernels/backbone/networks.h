#pragma once

#include <cstdint>
#include <vector>

#include "kernels/network/network.h"

namespace ablate::backbone {

/// A Flash3D backbone on the points of these instances; a PTv3 on the voxels of these levels; or a lone block
/// on that many rows, all real, windows in place or, with an order of these rows, gathered along that.
/// Training may drop paths.
network network_of(const model&, const std::vector<std::uint32_t>& ends, const window_shape&, layer_form,
                   pass_kind = pass_kind::inference, const drop_path& = {});
network network_of_ptv3(const model&, const grid_levels&, const window_shape&, layer_form,
                        index_order = index_order::as_needed, pass_kind = pass_kind::inference,
                        const drop_path& = {});
network network_of_block(const model& lone, std::int64_t rows, const window_shape&, layer_form,
                         const std::vector<std::uint32_t>& order = {}, pass_kind = pass_kind::inference,
                         const drop_path& = {});

}  // namespace ablate::backbone
