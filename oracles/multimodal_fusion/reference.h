#pragma once

#include "kernels/multimodal_fusion/multimodal_fusion.h"

namespace ablate::multimodal_fusion {

/// The oracle, into a host buffer. Takes host pointers.
void reference(const problem&);

}  // namespace ablate::multimodal_fusion
