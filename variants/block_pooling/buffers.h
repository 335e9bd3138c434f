#pragma once

#include <cstdint>

#include "harness/registry/bound_buffers.h"
#include "oracles/block_pooling/checked_problem.h"

namespace ablate::block_pooling {

/// The buffers of a problem.
bound_buffers buffers(checked_problem&);

/// Where q, k and v begin in one buffer, `apart` elements from each other.
template <class Element>
void put_tensors(Element* (&of)[tensors], void* buffer, std::int64_t apart) {
  for (std::int64_t i = 0; i < tensors; ++i)
    of[i] = buffer == nullptr ? nullptr : static_cast<Element*>(buffer) + i * apart;
}

}  // namespace ablate::block_pooling
