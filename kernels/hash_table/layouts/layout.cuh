#pragma once

#include <climits>

#include "kernels/hash_table/coordinate.cuh"

namespace ablate::hash_table {

/// What a key finds in a slot: the row that is stored for it, or one of these.
constexpr int slot_empty = -1;   ///< nothing
constexpr int slot_other = -2;   ///< another key
constexpr int slot_mine = -3;    ///< nothing until now: the key has just claimed it
constexpr int slot_same = -4;    ///< the same key, whose row may not be stored yet
constexpr int slot_unseen = -5;  ///< nobody has looked yet

/// Every layout has
///   key_type, key_type key_of(coordinate, row)
///   clear(slot, row_of_empty)            an empty slot; row_of_empty where rows take minima
///   int look(slot, key)                  row, slot_empty or slot_other; tables at rest only
///   int peek(slot, key)                  slot_empty, slot_other or slot_same; while others insert
///   int claim(slot, key)                 slot_mine, slot_other or slot_same, by compare-and-swap
///   void store(slot, row), lower(slot, row)   the row of a claimed slot, or the smaller one
///   occupied(slot), key_at(slot)         for reading the table back
/// and says how many of its keys share a 32-byte sector.

/// Entries of a table that is built for rows with minima hold the greatest row until one is stored.
constexpr int no_row = -1, greatest_row = INT_MAX;

}  // namespace ablate::hash_table
