#pragma once

#include <climits>

#include "kernels/hash_table/coordinate.cuh"

namespace ablate::hash_table {

/// What probing a slot for a key returns: the row stored for it, or one of these.
constexpr int slot_empty = -1;   ///< no key
constexpr int slot_other = -2;   ///< another key
constexpr int slot_mine = -3;    ///< was empty; the key has just claimed it
constexpr int slot_same = -4;    ///< the same key, whose row may not be stored yet
constexpr int slot_unseen = -5;  ///< not probed yet

/// Every layout has
///   key_type, key_type key_of(coordinate, row)
///   clear(slot, row_of_empty)            empties a slot; row_of_empty for rows that take minima
///   int look(slot, key)                  row, slot_empty or slot_other; not while others insert
///   int peek(slot, key)                  slot_empty, slot_other or slot_same; also while others insert
///   int claim(slot, key)                 slot_mine, slot_other or slot_same, by compare-and-swap
///   void store(slot, row), lower(slot, row)   sets a claimed slot's row, or lowers it to a smaller one
///   occupied(slot), key_at(slot)         for reading the table back
/// and keys_per_sector, how many of its keys share a 32-byte sector.

/// Whether a bucket tells that a key has gone past it.
enum class passed_keys { unmarked, marked };

/// In a table that keeps the smallest rows, entries hold greatest_row until a row is stored.
constexpr int no_row = -1, greatest_row = INT_MAX;

}  // namespace ablate::hash_table
