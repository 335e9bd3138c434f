#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ablate {

/// The generated scenes. In addition, every point file NAME is a scene at any cell size from 1 to 100 cm:
/// NAME_5cm, NAME_10cm.
///
///   uniform_P       P percent of the cells of a cube around 0, distinct and in random order
///   plane           z = 3, a square in raster order; 512 x 512 unless rows are given
///   oblique_plane   z = floor(-(x + 2y) / 3), the same square
///   shells          spheres of radius 60, 60 000 samples each, from bottom to top;
///                   eight unless rows are given
///   room            a furnished room of 8 x 6 x 3 m in cells of 2 cm, swept along its length;
///                   more rows add rooms around the first
///   lidar_Ccm       a sweep of 64 beams x 2000 azimuths, cells of C cm;
///                   more rows add sweeps, each of its own street and in its own batch
///   lidar_Ccm_moved the same, but more rows add sweeps of one long street from further poses, in one batch
///   solid           a full cube around 0 in raster order; 64^3 unless rows are given
///   lattice_S       a cube of every S-th cell per axis
///   adversarial     all share one home slot under `splitmix`, whatever the table's capacity
///   random          uniform over all batches and coordinates that a key can hold
const std::vector<std::string>& voxel_scenes();

inline constexpr std::int64_t max_voxel_rows = std::int64_t{1} << 25;

struct voxel_request {
  std::string scene;
  /// Rows of the result, including copies, at most max_voxel_rows: the scene's first voxels in scan order.
  /// 0: the scene's inherent number; uniform, lattice, adversarial and random have none.
  std::int64_t rows = 0;
  std::string order = "scan";  ///< scan (as generated), shuffled, morton (by batch, then x lowest)
  /// Rows per voxel; the last voxel may have fewer. In scan and morton order, copies are adjacent.
  std::int64_t multiplicity = 1;
  /// Added to every voxel, in cells. Scenes are centered on 0 in x and y (a sweep's sensor, the first room's
  /// middle), and in z if they have no ground. Must be 0 for adversarial and random.
  std::array<std::int32_t, 3> shift = {0, 0, 0};
};

struct voxel_cloud {
  std::vector<std::int32_t>
      coords;  ///< [rows][4]: batch, x, y, z; all fit a packed key of 9 + 18 + 18 + 18 bits
  std::int64_t distinct = 0;
  std::array<std::int32_t, 4> low{}, high{};  ///< the bounding box, both ends inclusive
  double density = 0;                         ///< distinct / cells of the bounding box, including batches
  /// The scene's parameters: edge (uniform, solid, lattice, planes), spheres, rooms, sweeps, samples, cell_m,
  /// points and skipped_points (for a file: not finite, or too far away for a key), zero_returns (for a file
  /// with points at exactly (0, 0, 0)), offset_x, _y and _z (for a file whose coordinates are too large for a
  /// key: the offset subtracted from them, in meters).
  std::vector<std::pair<std::string, double>> facts;

  std::int64_t rows() const { return static_cast<std::int64_t>(coords.size() / 4); }
};

/// The number of distinct occupied cells of 2^stride_bits voxels per axis (floor division): N_c of a
/// hierarchical search. Takes half a second for 2^24 rows.
std::int64_t count_coarse_cells(const std::vector<std::int32_t>& coords, int stride_bits);

}  // namespace ablate
