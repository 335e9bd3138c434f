#pragma once

#include <cstdint>
#include <vector>

namespace ablate::test_support {

/// Voxels of a slab of 6 x 5 x 2 with holes, in two batches: [rows][4], batch, x, y, z.
inline std::vector<std::int32_t> slab_with_holes() {
  std::vector<std::int32_t> coordinates;
  for (std::int32_t batch = 0; batch < 2; ++batch)
    for (std::int32_t x = 0; x < 6; ++x)
      for (std::int32_t y = 0; y < 5; ++y)
        for (std::int32_t z = 0; z < 2; ++z)
          if ((x * 7 + y * 3 + z * 5 + batch) % 4 != 0)
            coordinates.insert(coordinates.end(), {batch, x, y, z});
  return coordinates;
}

}  // namespace ablate::test_support
