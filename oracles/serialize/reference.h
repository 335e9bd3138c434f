#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

/// The code of a grid cell on a curve: an oracle that works bit by bit.
std::uint64_t code_of(curve, int depth, const std::array<std::uint32_t, 3>& cell);

/// The keys of all points, [curves][points], of a problem with host pointers.
std::vector<std::uint64_t> keys_of(const problem&);

/// The padding, which is the same for every order: the outputs of the same names, empty without patches.
struct padding {
  std::vector<std::int64_t> pad, unpad, cu_seqlens;
};
padding padding_of(const problem&);

/// The oracle, into host buffers (problem with host pointers).
void reference(const problem&);

}  // namespace ablate::serialize
