#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/hash_table/hash_table.h"

namespace ablate::unique_rows {

/// Given rows of voxel coordinates, some of them equal: the numbers of one row per distinct coordinate,
/// ascending (docs/operations/unique_rows.md). The published method searches a hash table built from them.

/// The phases of the work, in order. A problem runs those from `first` to `last`.
enum class phase {
  build,  ///< the table of all rows, if the variant has one
  unique  ///< the list
};

struct problem {
  std::int64_t rows = 0;  ///< below 2^31
  std::int64_t slots =
      16;  ///< of the table, a power of two from 16; at least as many as distinct coordinates
  bool keeps_smallest = false;  ///< of equal rows, lists the smallest; else any one
  phase first = phase::build, last = phase::unique;

  const std::int32_t* coordinates = nullptr;  ///< [rows][4]: batch, x, y, z; in range

  std::int32_t* list = nullptr;    ///< [rows]: the first `count` are row numbers, ascending
  std::int32_t* count = nullptr;   ///< [1]
  std::int32_t* status = nullptr;  ///< [1]: hash_table::table_status
  void* table = nullptr;           ///< table_bytes(problem)
  void* scratch = nullptr;         ///< scratch_bytes(problem)
  unsigned long long* events =
      nullptr;  ///< [hash_table::event_words], as insertions and searches count them; null = the plain form

  bool does(phase p) const { return first <= p && p <= last; }
};

/// Packed keys and rows in separate arrays: 12 bytes per slot.
std::size_t table_bytes(const problem&);
/// Working memory for the variant that needs the most, bytes.
std::size_t scratch_bytes(const problem&);

}  // namespace ablate::unique_rows
