#include <optional>

#include "harness/inputs/clouds.h"
#include "harness/inputs/files/lzf.h"
#include "harness/inputs/files/npz_file.h"
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

const registered points_target("points", feed_points, "input.bin");
const registered ply_target("ply", feed_points, "input.ply");
const registered npy_target("npy", feed_points, "input.npy");
const registered pcd_target("pcd", feed_points, "input.pcd");
// Packed ones are read by builds that have what unpacks them.
const auto packed_pcd_target =
    has_lzf() ? std::optional<registered>(std::in_place, "packed_pcd", feed_points, "input.pcd")
              : std::nullopt;
const auto npz_target =
    has_zip() ? std::optional<registered>(std::in_place, "npz", feed_points, "input.npz") : std::nullopt;

}  // namespace
}  // namespace ablate::fuzz
