#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/voxelize/bins.h"

namespace ablate::voxelize {

/// The queues that a block keeps in shared memory, one for each bin of cells; counters of a bin are beside
/// them, and both fit the 163 KiB of an A100.
constexpr int queue_bytes_of_block = 92 * 1024;
constexpr int max_dealers = 128;              ///< blocks that deal points
constexpr int least_points_of_dealer = 1024;  ///< fewer are not worth another run of keys to read

/// How points are dealt into bins by blocks that stay on the GPU. Cells are numbered through all clouds and
/// taken in rounds of `cells_of_round` consecutive ones, cut into bins as by `bin_map`. In a round each
/// dealer has a share of the points of all clouds that the round touches, and deals it in parts. What a part
/// puts into one bin is a run of keys: places in the bin, 16 bits each.
struct queue_plan : bin_map {
  std::int64_t all_cells, cells_per_cloud, points_per_cloud;
  std::int64_t points_of_round;  ///< at most
  int cells_per_bin;             ///< a multiple of cells_per_row
  int rounds;
  int vectors_per_queue;  ///< odd, so that places of equal rank in several queues are in different banks
  int points_per_part;    ///< as many as fill queues by chance with room of six standard deviations
  int dealers, parts;     ///< parts of each dealer's share, at most

  /// Plans for at most so many dealers. Throws std::invalid_argument if a round had 2^32 points.
  queue_plan(const problem&, int max_blocks);

  ABLATE_ON_BOTH int keys_per_queue() const { return vectors_per_queue * keys_per_vector; }
  ABLATE_ON_BOTH std::int64_t cells_of_round() const { return std::int64_t{cells_per_bin} << log2_bins; }
  /// Runs of a bin, in the order of their numbers.
  ABLATE_ON_BOTH int runs() const { return parts * dealers; }
  ABLATE_ON_BOTH std::int64_t run(int bin, int part, int dealer) const {
    return std::int64_t{bin} * runs() + part * dealers + dealer;
  }
  /// Most points of a dealer.
  ABLATE_ON_BOTH std::int64_t points_per_dealer() const { return share(points_of_round); }
  /// Points per dealer when there are so many: a multiple of four, so that vectors of points are not cut.
  ABLATE_ON_BOTH std::int64_t share(std::int64_t points) const {
    return dealers == 0 ? 0 : ((points + dealers - 1) / dealers + 3) / 4 * 4;
  }
};

/// The cells and points of one round.
struct queue_round {
  std::int64_t first_cell, first_point;  ///< among those of all clouds
  std::int64_t points;                   ///< of all clouds that the round touches
  int cells, clouds;
  std::int64_t first_cloud_at;  ///< its first cell, counted from first_cell: 0 or below

  queue_round() = default;
  ABLATE_ON_BOTH queue_round(const queue_plan& plan, int round) {
    first_cell = round * plan.cells_of_round();
    const std::int64_t left = plan.all_cells - first_cell;
    cells = static_cast<int>(left < plan.cells_of_round() ? left : plan.cells_of_round());
    const std::int64_t first_cloud = first_cell / plan.cells_per_cloud;
    clouds = static_cast<int>((first_cell + cells - 1) / plan.cells_per_cloud - first_cloud + 1);
    first_point = first_cloud * plan.points_per_cloud;
    points = clouds * plan.points_per_cloud;
    first_cloud_at = first_cloud * plan.cells_per_cloud - first_cell;
  }

  /// The cloud of a point, counted from the round's first.
  ABLATE_ON_BOTH unsigned cloud_of(const queue_plan& plan, std::int64_t point) const {
    return static_cast<unsigned>(point) / static_cast<unsigned>(plan.points_per_cloud);
  }
  /// The first cell of such a cloud, counted from the round's.
  ABLATE_ON_BOTH std::int64_t cloud_at(const queue_plan& plan, unsigned cloud) const {
    return first_cloud_at + cloud * plan.cells_per_cloud;
  }
};

/// Two keys of a vector, where only the first `keys` count; the others become `no_place`.
ABLATE_ON_BOTH inline std::uint32_t padded_keys(std::uint32_t two, int keys, std::uint32_t no_place) {
  if (keys >= 2) return two;
  return no_place << 16 | (keys == 1 ? two & 0xffff : no_place);
}

/// Scratch memory, reused from round to round.
struct queue_scratch {
  std::uint16_t* keys;           ///< [bins][runs][keys_per_queue]
  std::uint16_t* lengths;        ///< [bins][runs]: vectors
  std::uint32_t* spilled_cells;  ///< [dealers][points_per_dealer]: cells of the round
  std::uint32_t* spilled;        ///< [dealers]
  std::size_t bytes;

  queue_scratch(const problem&, const queue_plan&);
};

}  // namespace ablate::voxelize
