#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/pool/pool.h"

namespace ablate::pool {

constexpr int tile_places = 1024;  ///< places of an order that a block numbers

/// Tiles of a curve, at least one.
constexpr std::int64_t tiles_of(std::int64_t points) {
  return points == 0 ? 1 : (points + tile_places - 1) / tile_places;
}

/// Slots of a hash table of the clusters: a power of two, at least twice the points.
constexpr std::int64_t slots_for(std::int64_t points) {
  std::int64_t slots = 1024;
  while (slots < 2 * points) slots *= 2;
  return slots;
}

/// Working memory of the variants, in one buffer. What only clusters of one kind need is null in others.
struct scratch {
  // In buckets, as published.
  std::uint32_t* table;         ///< [capacity][ratio]: rows of each cluster, none after them
  unsigned long long* arrived;  ///< [instances]: clusters (upper half) and points of blocks so far

  // Grid.
  std::int32_t* heads;    ///< [curves][pitch]: rows that begin a cluster on the curve
  std::uint64_t* words;   ///< [curves][pitch]: to be sorted
  std::uint64_t* sorted;  ///< [curves][pitch]
  std::int64_t* numbers;  ///< [pitch]: 0, 1, …
  std::int64_t* indices;  ///< [curves][pitch]: sorted with words
  std::int64_t* ids;      ///< [pitch]: cluster of each row
  std::int64_t* sums;     ///< [pitch]: of flags, and of counts
  std::int32_t* order;    ///< [pitch]
  std::int32_t* rows;     ///< [pitch][4]: instance and cell, for a hash table
  std::uint32_t* claims;  ///< [pitch]: 1 = the row has claimed its cell's slot
  std::uint32_t* names;   ///< [pitch]: claims of the rows before
  std::uint32_t* slots;   ///< [pitch]: of the table, by row
  std::uint32_t* ranks;   ///< [pitch]: of a row in its cluster
  std::uint32_t* counts;  ///< [pitch]: members
  std::byte* hash_table;  ///< slots_for(points) slots of 12 bytes
  std::byte* temporary;   ///< [temporary_bytes]: for CUB's algorithms
  std::size_t temporary_bytes;
  std::size_t bytes;

  explicit scratch(const problem&);
};

}  // namespace ablate::pool
