#pragma once

#include <string>
#include <vector>

#include "kernels/network/arena.h"

namespace ablate::backbone {

/// Each pair of tensors of the arena that one step needs and that have a byte in common, by name.
inline std::vector<std::string> overlaps(const std::vector<tensor>& tensors) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const tensor &a = tensors[i], &b = tensors[k];
      const bool share_memory = a.at == tensor::home::arena && b.at == tensor::home::arena;
      if (share_memory && a.lives_with(b) && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes)
        found.push_back(b.name + ", " + a.name);
    }
  return found;
}

}  // namespace ablate::backbone
