#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// What one neighboring cell contributes to an offset: its bits, shifted by `move` (down if positive), at
/// `places` of the cell's own map.
struct contribution {
  std::uint64_t places;
  std::int32_t neighbor, move;
};
constexpr int contributions_per_offset = 8;

/// An offset in voxels and the cells it reaches: the first `used` of `parts`.
struct offset_plan {
  contribution parts[contributions_per_offset];
  std::int32_t x, y, z, used;
};

/// Sort keys and rows: unsorted and sorted.
struct sort_buffers {
  std::uint64_t *keys, *sorted_keys;
  std::int32_t *rows, *sorted_rows;
};

/// The basis for choosing a variant (dispatch.cu): the bits that sampled cells hash to.
struct cell_survey {
  static constexpr int log2_bits = 14, bits = 1 << log2_bits;
  std::uint64_t words[bits / 64] = {};
};

/// Workspace of the variants, in one buffer that starts zeroed.
struct scratch {
  void* table;                     ///< row table: hash_table::table_bytes(slots, rows)
  std::int32_t* table_status;      ///< [1]
  std::int32_t* dense;             ///< [offsets][outs]: in row or −1; problem.tables if tables are wanted
  unsigned long long* counts;      ///< [offsets]: pairs
  unsigned long long* cursors;     ///< [offsets]: pairs placed so far
  std::uint64_t* coarse_keys;      ///< [coarse slots]
  std::int32_t* coarse_ids;        ///< [coarse slots]: the cell's number
  std::uint64_t* coarse_maps;      ///< [coarse slots][2]: a cell's key and its bitmap
  std::uint32_t* cell_count;       ///< [1]; then [1]: rows placed so far
  std::int32_t* cell_of_row;       ///< [rows]: the cell's slot, later its number
  std::int32_t* cell_coordinates;  ///< [rows][4]: batch and cell coordinates, by number
  std::uint64_t* cell_bits;        ///< [rows]: occupied places of 4³: bit (x · 4 + y) · 4 + z
  std::uint32_t* cell_begin;       ///< [rows]: start of the cell's rows in cell_rows
  std::int32_t* cell_rows;         ///< [rows]: cell by cell, in bit order
  std::uint32_t* block_counts;     ///< [cell_groups][offsets], or [offsets][list_blocks(outs)]
  std::uint32_t* chunk_counts;     ///< [cell_chunks][offsets]
  offset_plan* plans;              ///< [offsets]
  std::uint32_t* masks;            ///< [outs]: occupied cells of a query's box
  sort_buffers in_order;           ///< [rows]
  sort_buffers out_order;          ///< [outs]; the same if out rows are the in rows
  std::byte* sort_memory;          ///< [sort_bytes]: for the library sort
  cell_survey* survey;             ///< [1]
  std::size_t sort_bytes;
  std::int64_t coarse_slots;
  std::size_t bytes;

  explicit scratch(const problem&);
};

/// Groups of 32 cells if every row had its own cell.
constexpr std::int64_t cell_groups(std::int64_t rows) { return (rows + 31) / 32; }

/// Groups summed by one block, and the number of such chunks.
constexpr int groups_per_chunk = 64;
constexpr std::int64_t cell_chunks(std::int64_t rows) {
  return (cell_groups(rows) + groups_per_chunk - 1) / groups_per_chunk;
}

/// Dense-table entries per block, and blocks per offset.
constexpr int entries_per_block = 1024;
constexpr std::int64_t list_blocks(std::int64_t outs) {
  return (outs + entries_per_block - 1) / entries_per_block;
}

}  // namespace ablate::kernel_map
