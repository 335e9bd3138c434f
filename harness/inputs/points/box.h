#pragma once

#include <array>

namespace ablate {

/// The box that a cloud is made for: generators of shapes without a size of their own fill it.
struct box {
  std::array<float, 3> origin;  ///< meters
  std::array<float, 3> size;    ///< meters
};

}  // namespace ablate
