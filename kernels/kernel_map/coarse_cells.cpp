#include "kernels/kernel_map/coarse_cells.h"

#include <algorithm>
#include <vector>

namespace ablate::kernel_map {
namespace {

/// Cells that hold a row, as sorted numbers.
class occupied_cells {
 public:
  occupied_cells(const problem& p, int edge) {
    for (std::int64_t i = 0; i < p.rows; ++i) {
      const std::int32_t* const at = p.coordinates + 4 * i;
      const std::uint64_t cell =
          number_of(at[0], floor_divide(at[1], edge), floor_divide(at[2], edge), floor_divide(at[3], edge));
      if (cells_.empty() || cells_.back() != cell) cells_.push_back(cell);
    }
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
  }

  std::size_t count() const { return cells_.size(); }

  bool holds(std::int32_t batch, int x, int y, int z) const {
    const auto fits = [](int cell) { return cell >= -bias && cell < bias; };
    return fits(x) && fits(y) && fits(z) &&
           std::binary_search(cells_.begin(), cells_.end(), number_of(batch, x, y, z));
  }

 private:
  static constexpr int bias = 131072;
  static std::uint64_t number_of(std::int32_t batch, int x, int y, int z) {
    std::uint64_t number = static_cast<std::uint32_t>(batch);
    for (const int cell : {x, y, z}) number = number << 18 | static_cast<std::uint32_t>(cell + bias);
    return number;
  }

  std::vector<std::uint64_t> cells_;
};

/// Offsets along one axis that fall into each of its cells, by the row's place within its own.
std::vector<std::vector<int>> weights(const problem& p, int axis, int edge) {
  const cell_span span = cells_of_offsets(p, axis, edge);
  const int step = p.dilation[axis], kernel = p.kernel[axis];
  const int first = offset_of(p, 0)[axis];
  std::vector<std::vector<int>> counts(edge, std::vector<int>(span.cells()));
  for (int place = 0; place < edge; ++place)
    for (int i = 0; i < kernel; ++i)
      ++counts[place][floor_divide(place + first + i * step, edge) - span.lowest];
  return counts;
}

}  // namespace

cell_span cells_of_offsets(const problem& p, int axis, int edge) {
  const int first = offset_of(p, 0)[axis], last = offset_of(p, p.offsets() - 1)[axis];
  return {floor_divide(first, edge), floor_divide(edge - 1 + last, edge)};
}

coarse_occupancy measure_coarse_occupancy(const problem& p, int edge, std::int64_t step) {
  const occupied_cells occupied(p, edge);
  const cell_span spans[3] = {cells_of_offsets(p, 0, edge), cells_of_offsets(p, 1, edge),
                              cells_of_offsets(p, 2, edge)};
  const std::vector<std::vector<int>> counts[3] = {weights(p, 0, edge), weights(p, 1, edge),
                                                   weights(p, 2, edge)};
  std::int64_t cells = 0, survivors = 0, sampled = 0;
  for (std::int64_t block = 0; block < p.outs; block += step, ++sampled) {
    // Anyone of the block: rows at regular distances may all stand at the same place in their cells.
    const std::int64_t size = std::min(step, p.outs - block);
    const std::int64_t row =
        block + static_cast<std::int64_t>(mixed(block + 1) % static_cast<std::uint64_t>(size));
    const std::int32_t* const at = p.out_coordinates + 4 * row;
    int home[3];
    const int* weight[3];
    for (int axis = 0; axis < 3; ++axis) {
      const int target = p.stride[axis] * at[1 + axis];
      home[axis] = floor_divide(target, edge);
      weight[axis] = counts[axis][target - home[axis] * edge].data();
    }
    for (int x = 0; x < spans[0].cells(); ++x)
      for (int y = 0; y < spans[1].cells(); ++y)
        for (int z = 0; z < spans[2].cells(); ++z) {
          if (!occupied.holds(at[0], home[0] + spans[0].lowest + x, home[1] + spans[1].lowest + y,
                              home[2] + spans[2].lowest + z))
            continue;
          ++cells;
          survivors += std::int64_t{weight[0][x]} * weight[1][y] * weight[2][z];
        }
  }
  coarse_occupancy all;
  all.box_cells = spans[0].cells() * spans[1].cells() * spans[2].cells();
  if (p.rows > 0) all.cells_per_row = static_cast<double>(occupied.count()) / static_cast<double>(p.rows);
  if (sampled > 0) {
    all.occupied_cells = static_cast<double>(cells) / static_cast<double>(sampled);
    all.survivor_share = static_cast<double>(survivors) / static_cast<double>(sampled) / p.offsets();
  }
  return all;
}

}  // namespace ablate::kernel_map
