#include "harness/inputs/input_library.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As the operations do that take clouds, and those that take voxels.
void read(const std::filesystem::path& file) {
  const input_library inputs(1, {{"scan", {file.string(), 4}}}, {});
  const box room = {{-50, -50, -5}, {100, 100, 10}};
  inputs.cloud({.distribution = "scan", .order = "morton", .points = 0, .domain = room});
  inputs.voxels({.scene = "scan_10cm"});
}

const registered points_target("points", read);

}  // namespace
}  // namespace ablate::fuzz
