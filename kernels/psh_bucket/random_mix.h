#pragma once

#include <cstdint>

#include "kernels/common/mixed.h"
#include "kernels/common/on_both.h"

namespace ablate::psh_bucket {

/// One step of splitmix64: the next of a stream of random numbers, or a number made of one that is not
/// random.
ABLATE_ON_BOTH constexpr std::uint64_t mixed(std::uint64_t x) {
  return ablate::mixed(x + 0x9e3779b97f4a7c15);
}

}  // namespace ablate::psh_bucket
