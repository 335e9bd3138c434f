#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/coordinate_expand/scratch.h"
#include "kernels/hash_table/hashes.cuh"
#include "kernels/hash_table/layouts/split.cuh"
#include "kernels/hash_table/phases.cuh"

namespace ablate::coordinate_expand {

using hash_table::coordinate;
using hash_table::insertion;
using hash_table::table_threads;
using hash_table::tally;

/// The published table: packed keys, splitmix, linear probing.
using rows_table = hash_table::table<hash_table::split, hash_table::splitmix, hash_table::linear>;

/// The current sizes of table and store.
struct room {
  std::int64_t slots, capacity;
};

inline rows_table table_of(const problem& p, const room& now) {
  hash_table::problem table;
  table.slots = now.slots;
  table.table = p.table;
  return rows_table(table);
}

/// The problem as passed to a kernel.
struct view {
  const coordinate* base;
  coordinate* store;
  long long rows, capacity;
  outcome* result;
  unsigned long long* events;
  int kernel[3], lowest_offset[3];
  bool guards;

  view(const problem& p, const room& now)
      : base(hash_table::coordinates_of(p.base)),
        store(reinterpret_cast<coordinate*>(p.store)),
        rows(p.rows),
        capacity(now.capacity),
        result(p.result),
        events(p.events),
        guards(p.guards) {
    const std::array<int, 3> first = offset_of(p.kernel, 0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      kernel[axis] = p.kernel[axis];
      lowest_offset[axis] = first[axis];
    }
  }

  __device__ coordinate sum(const coordinate& c, int q) const {
    const int iz = q % kernel[2], iy = q / kernel[2] % kernel[1], ix = q / kernel[2] / kernel[1];
    return {c.x, c.y + ix + lowest_offset[0], c.z + iy + lowest_offset[1], c.w + iz + lowest_offset[2]};
  }

  /// Stores a row that has claimed its slot, under its number.
  __device__ void keep(rows_table& table, unsigned slot, int number, const coordinate& row) const {
    if (number < capacity) {
      table.slots().store(slot, number);
      store[number] = row;
    } else {
      atomicMax(&result->status, static_cast<int>(rows_full));
    }
  }
};

}  // namespace ablate::coordinate_expand
