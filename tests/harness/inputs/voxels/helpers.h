#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "harness/inputs/clouds.h"
#include "harness/inputs/voxels/key.h"

namespace ablate {

inline std::vector<voxel> rows_of(const voxel_cloud& cloud) {
  std::vector<voxel> rows;
  for (std::size_t i = 0; i < cloud.coords.size(); i += 4)
    rows.push_back({cloud.coords[i], cloud.coords[i + 1], cloud.coords[i + 2], cloud.coords[i + 3]});
  return rows;
}

inline std::vector<std::uint64_t> sorted_keys(const voxel_cloud& cloud) {
  std::vector<std::uint64_t> keys;
  for (const voxel& v : rows_of(cloud)) keys.push_back(key_of(v));
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Mean number of voxels in the cube of `edge` around a voxel, itself included, over `queries` of the rows.
inline double pairs_per_query(const voxel_cloud& cloud, int edge, std::size_t queries) {
  const auto rows = rows_of(cloud);
  std::unordered_set<std::uint64_t> keys(2 * rows.size());
  for (const voxel& v : rows) keys.insert(splitmix(key_of(v)));
  const int reach = edge / 2;
  const std::size_t step = std::max<std::size_t>(1, rows.size() / queries);
  std::size_t pairs = 0, asked = 0;
  for (std::size_t i = 0; i < rows.size(); i += step, ++asked)
    for (int x = -reach; x <= reach; ++x)
      for (int y = -reach; y <= reach; ++y)
        for (int z = -reach; z <= reach; ++z) {
          const voxel near{rows[i].batch, rows[i].x + x, rows[i].y + y, rows[i].z + z};
          pairs += fits_a_key(near) && keys.count(splitmix(key_of(near)));
        }
  return static_cast<double>(pairs) / static_cast<double>(asked);
}

inline double coarse_share(const voxel_cloud& cloud, int stride_bits) {
  return static_cast<double>(count_coarse_cells(cloud.coords, stride_bits)) /
         static_cast<double>(cloud.distinct);
}

}  // namespace ablate
