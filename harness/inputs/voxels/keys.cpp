#include <array>

#include "harness/inputs/random.h"
#include "harness/inputs/voxels/generators.h"

namespace ablate {

voxel_scene adversarial_voxels(std::int64_t voxels, std::uint64_t seed) {
  const std::uint64_t home = random_stream(seed, "adversarial voxels").next() & 0xffffffff;
  voxel_scene scene;
  scene.voxels.reserve(static_cast<std::size_t>(voxels));
  // About every second number gives a key with bit 63 set.
  for (std::uint64_t tag = 0; scene.voxels.size() < static_cast<std::size_t>(voxels); ++tag) {
    const std::uint64_t key = inverse_splitmix(tag << 32 | home);
    if (key >> 63) scene.voxels.push_back(voxel_of_key(key));
  }
  return scene;
}

voxel_scene random_voxels(std::int64_t voxels, std::uint64_t seed) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << 63) - 1;
  random_stream random(seed, "random voxels");
  const std::array<std::uint64_t, 3> keys = {random.next(), random.next(), random.next()};
  voxel_scene scene{std::vector<voxel>(static_cast<std::size_t>(voxels)), {}};
  for (std::size_t i = 0; i < scene.voxels.size(); ++i) {
    // A bijection on 63 bits, as is each of its steps, so no two rows share a key. Its constant is not one of
    // those of the hashes under test.
    std::uint64_t x = i;
    for (const std::uint64_t key : keys) {
      x = (x + key) & mask;
      x ^= x >> 32;
      x = x * 0xd6e8feb86659fd93 & mask;
    }
    scene.voxels[i] = voxel_of_key(x ^ x >> 32);
  }
  return scene;
}

}  // namespace ablate
