#pragma once

#include <string>

#include "kernels/backbone/backbone.h"

namespace ablate::backbone {

/// reference.h's make_index and violated_index for PTv3. Codes, orders and clusters are their operations'
/// oracles' on these inputs, level after level; as many clusters as the host counted. Slots: those of
/// serialize's padding. Maps: kernel_map's oracle on the level's cells, and where the network goes through
/// lists, each pair of a list once, and pieces that cover them.
void make_ptv3_index(const problem&, const network&);
std::string violated_ptv3_index(const problem&, const network&);

}  // namespace ablate::backbone
