#include "harness/inputs/input_library.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As the operations on clouds do, and those on voxels.
void feed_points(const std::filesystem::path& file) {
  const input_library inputs(1, {{"scan", {file.string(), 4}}}, {});
  const box room = {{-50, -50, -5}, {100, 100, 10}};
  inputs.cloud({.distribution = "scan", .order = "morton", .points = 0, .domain = room});
  inputs.voxels({.scene = "scan_10cm"});
  const box cube = inputs.frame_of_file("scan", 0).cube;
  inputs.cloud({.distribution = "scan", .order = "natural", .domain = cube, .origin = cloud_origin::middle});
}

const registered points_target("points", feed_points);
const registered ply_target("ply", feed_points, "input.ply");
const registered npy_target("npy", feed_points, "input.npy");

}  // namespace
}  // namespace ablate::fuzz
