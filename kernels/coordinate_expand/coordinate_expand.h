#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ablate::coordinate_expand {

/// Generative expansion of sparse convolution (docs/operations/coordinate_expand.md): from distinct base rows
/// and the offsets of a kernel, the set of coordinates {base row + offset}, each once, in a row store, and a
/// hash table from coordinate to row number in that store. Base rows take the first numbers, row i number i;
/// the others are numbered in whatever order they come. (The published operation sorts the store by batch
/// afterwards.) A variant that sorts numbers all rows by ascending packed key instead.
/// Offsets are in row-major order, as in a kernel map: q = (ix · ky + iy) · kz + iz,
/// offset = (ix − cx, iy − cy, iz − cz) with c = (k − 1) / 2 if k is odd, else 0: offset 0 is always
/// included.

/// The phases of the work, in order. A problem runs those from `first` to `last`.
enum class phase {
  base,   ///< empties the table, then puts the base rows into table and store
  expand  ///< adds the sums with every offset
};

/// How table and store are sized.
enum class growth {
  none,   ///< given: the host reads nothing
  bound,  ///< as published: before each step, both have room for the most that the step could add
  retry   ///< repeats a step that fills the store, on twice the table or one sized for the rows so far
};

enum expand_status : std::int32_t {
  expand_ok = 0,
  rows_full = 1,  ///< a row number beyond the store: the key has its slot, but no row
  table_full = 2  ///< a key that found no slot
};

/// What the host reads after a step.
struct outcome {
  std::int32_t rows;    ///< numbers given out: of rows in the store, unless the status says otherwise
  std::int32_t status;  ///< expand_status, the worst of all rows; unless it is ok, nothing else holds
};

struct problem {
  std::int64_t rows = 0;               ///< base rows, below 2^31; rows · offsets at most 2^28
  std::array<int, 3> kernel{3, 3, 3};  ///< along x, y, z
  /// Sums out of range are dropped; if not, their fields wrap in the key, as published, while the row store
  /// holds the sum itself.
  bool guards = true;
  int chunk = 9;  ///< offsets per step
  growth grows = growth::none;
  std::int64_t slots = 16;                    ///< of the table initially, a power of two from 16
  std::int64_t capacity = 0;                  ///< rows that the store holds initially
  std::int64_t max_slots = 16, max_rows = 0;  ///< the sizes that table and store may grow to
  bool may_sort = false;                      ///< there is memory for all sums at once
  phase first = phase::base, last = phase::expand;

  const std::int32_t* base = nullptr;  ///< [rows][4]: batch, x, y, z; distinct, in range

  outcome* result = nullptr;      ///< [1]
  void* table = nullptr;          ///< table_bytes(problem)
  std::int32_t* store = nullptr;  ///< [max_rows][4]: rows as summed, unwrapped
  void* scratch = nullptr;        ///< scratch_bytes(problem)
  unsigned long long* events =
      nullptr;  ///< [hash_table::event_words], of the sums alone: an operation is a sum sent to the table, a
                ///< hit one already there; null = the plain form

  int offsets() const { return kernel[0] * kernel[1] * kernel[2]; }
  std::int64_t candidates() const { return rows * offsets(); }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Packed keys and rows in separate arrays: 12 bytes per slot.
std::size_t table_bytes(const problem&);
/// Working memory for the variant that needs the most, bytes.
std::size_t scratch_bytes(const problem&);

/// The slots of a table that these rows fill at most half: a power of two from 16.
std::int64_t slots_at_half_load(std::int64_t rows);

/// Offset q along x, y, z.
std::array<int, 3> offset_of(const std::array<int, 3>& kernel, int q);

}  // namespace ablate::coordinate_expand
