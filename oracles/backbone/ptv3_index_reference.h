#pragma once

#include <string>

#include "kernels/backbone/backbone.h"

namespace ablate::backbone {

/// reference.h's make_index and violated_index for a step that only PTv3 has, and for clusters by grid.
/// Codes, orders and clusters are their operations' oracles' on these inputs; as many clusters as the host
/// counted. Slots: those of serialize's padding. Maps: kernel_map's oracle on the level's cells, and where
/// the network goes through lists, each pair of a list once, and pieces that cover them. Cells and positions
/// in bucket order: those of the points.
void make_ptv3_step(const problem&, const network&, const step&);
std::string violated_ptv3_step(const problem&, const network&, const step&);

}  // namespace ablate::backbone
