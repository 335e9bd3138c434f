#pragma once

#include <string>

#include "kernels/network/network.h"

namespace ablate::backbone {

/// Which two tensors of a network are in the same bytes while a step still reads one of them, or an empty
/// text: a step whose input another one has written over is right for what it finds there. From which step to
/// which a tensor is needed follows from the steps alone, and from what runs beside them.
std::string violated_arena(const network&);

}  // namespace ablate::backbone
