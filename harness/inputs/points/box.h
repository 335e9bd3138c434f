#pragma once

#include <array>

namespace ablate {

/// The box of a cloud: generators whose shapes have no inherent size fill it.
struct box {
  std::array<float, 3> origin;  ///< meters
  std::array<float, 3> size;    ///< meters
};

}  // namespace ablate
