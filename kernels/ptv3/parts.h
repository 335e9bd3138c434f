#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernel_map/kernel_map.h"
#include "kernels/network/parts.h"
#include "kernels/pool/pool.h"
#include "kernels/row_norm/row_norm.h"
#include "kernels/serialize/serialize.h"
#include "kernels/sparse_conv/sparse_conv.h"

namespace ablate::backbone {

/// PTv3's steps as problems of the operations that compute them, as kernels/network/parts.h has those of all
/// families.
///
/// Codes of `pitch()` rows: the operation that makes them packs the curves' arrays, pooling has each begin at
/// a whole 16 bytes. The rows past the last, up to three, are an instance of their own, which is last
/// on every curve.
serialize::problem serialization_of(const problem&, const network&, const step&);
/// Of a level to the next: the index alone, and for `reduce` and `unpool` their rows too.
pool::problem grid_pooling_of(const problem&, const network&, const step&);
/// By grid, or in buckets, as the network pools.
pool::problem pooling_of(const problem&, const network&, const step&);
/// Table and masks, from `voxels`.
kernel_map::problem map_of(const problem&, const network&, const step&);
/// The lists of the same map, which are made from its table.
kernel_map::problem lists_of(const problem&, const network&, const step&);
sparse_conv::problem convolution_of(const problem&, const network&, const step&);
/// Of the layer's weights and bias and, but of the stem, of its rows.
sparse_conv::problem convolution_gradient_of(const problem&, const network&, const step&);
row_norm::problem batch_norm_of(const problem&, const network&, const step&);

/// A level's cells [V][3] and, where pools go by grid, positions [V][3].
const std::int32_t* cells_of(const problem&, const network&, int level);
const float* positions_of(const problem&, const network&, int level);
/// The index by which a step moves rows: into_windows, from_windows. And both indices of either: the row of
/// each slot, and the representative slot of each row.
const std::int32_t* moved_by(const problem&, const network&, const step&);
struct window_index {
  const std::int32_t *row_of_slot, *slot_of_row;
};
window_index windows_of(const problem&, const network&, const step&);

/// Pieces of the lists of a level, each of at most sparse_conv::list_tile pairs.
std::int64_t tiles_of(const level&);
/// Lists that end there, after a 0, cut into pieces of at most `pairs`: how many, and how many of these are
/// of lists of several, whose shares of the weights' gradient wait for a sum.
struct list_splits {
  std::int64_t count = 0, parts = 0;
};
list_splits splits_of(const std::vector<std::int64_t>& list_ends, int pairs);
/// Of the map of a step: where its lists end; and into pieces of how many pairs it is cut for gradients.
const std::vector<std::int64_t>& list_ends_of(const network&, const step&);
int pairs_of_splits(const network&, const step&);
const map_places& map_places_of(const network&, const step&);

/// Scratch.
std::int64_t serialization_bytes(const network&);
std::int64_t grid_pooling_bytes(const network&, const step&);
std::int64_t map_bytes(const network&, const step&);
std::int64_t convolution_gradient_bytes(const network&, const step&);
/// Words that pooling finds zero and leaves zero.
std::int64_t grid_state_words(const network&);

/// problem::ends: of each level; PTv3 also those of its serialization, [instances + 1], and of each level's
/// slots.
std::vector<std::uint32_t> ends_table(const network&);
const std::uint32_t* slot_ends_of(const problem&, const network&, int level);

/// With the whole index first: the step after it.
const step& first_step_of_features(const network&);

}  // namespace ablate::backbone
