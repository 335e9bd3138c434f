#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace ablate::hash_table {

/// A hash table from voxel coordinates (batch, x, y, z) to the row in which they stand, as sparse convolution
/// uses it (WarpConvNet's PackedHashTable; specification: packed_hash §1–§3). Two operations share its
/// kernels: hash_insert builds a table from rows, hash_search looks up queries in a table that was built
/// ahead.

/// The parts of the work, in order. A problem asks for those from `first` to `last`.
enum class phase {
  clear,     ///< every slot empty
  insert,    ///< every row in the table, or status_full
  search,    ///< every query's row
  read_back  ///< for the check of an insertion: `found` of every row, and `summary` of the slots
};

enum table_status : std::int32_t { status_ok = 0, status_full = 1 };

/// What the instrumented form counts, over all threads. A variant without one leaves `operations` 0.
enum event {
  operations,        ///< rows inserted or queries searched
  hits,              ///< queries found, or rows that met their own key
  probes_of_hits,    ///< slots looked at by those (windows, for cooperative probing)
  probes_of_misses,  ///< slots looked at by the others
  sectors,           ///< 32-byte sectors of keys looked at
  longest,           ///< the most slots that one of them looked at (a maximum, not a sum)
  atomics,           ///< compare-and-swaps and minima sent to device memory
  event_count
};

/// Behind the events stand two histograms of what one operation looked at (as `probes_of_hits` counts it), of
/// hits and of the others: a bin each for 0 … 63, then one for every power of two up to 2^31.
constexpr int exact_probe_bins = 64, probe_bins = exact_probe_bins + 26;
constexpr int hit_histogram = event_count, miss_histogram = hit_histogram + probe_bins;
constexpr int event_words = miss_histogram + probe_bins;

struct problem {
  std::int64_t rows = 0;     ///< rows to insert, below 2^31
  std::int64_t queries = 0;  ///< below 2^40
  std::int64_t slots = 16;   ///< C: a power of two from 16, at most 2^31
  /// Whether queries out of range (batch not in 0 … 511, a coordinate not in −131072 … 131071) are misses; if
  /// not, each field wraps silently, as in the published table.
  bool guards = true;
  bool keeps_smallest =
      false;  ///< of rows with equal coordinates the smallest wins; else whichever comes first
  phase first = phase::clear, last = phase::insert;

  const std::int32_t* coordinates = nullptr;  ///< [rows][4]: batch, x, y, z; in range
  const std::int32_t* wanted = nullptr;       ///< [queries][4]

  void* table = nullptr;           ///< table_bytes(slots): the variant's own layout
  std::int32_t* status = nullptr;  ///< [1]: table_status, the worst of all rows; cleared with the table
  std::int32_t* found = nullptr;   ///< [queries] (search) or [rows] (read_back): row, or −1
  std::uint64_t* summary =
      nullptr;  ///< [2], of read_back: occupied slots; sum of mixed(key) over them, mod 2^64
  unsigned long long* events = nullptr;  ///< [event_words]; null = the plain form of the kernels

  bool does(phase p) const { return first <= p && p <= last; }
};

/// Memory of the hungriest variant, bytes: 20 a slot; or 16 a slot, and 16 a row that waits in its region,
/// with room for regions of unequal size.
constexpr std::size_t table_bytes(std::int64_t slots, std::int64_t rows) {
  const auto every_slot = static_cast<std::size_t>(slots), every_row = static_cast<std::size_t>(rows);
  return 20 * every_slot + 17 * every_row + (std::size_t{1} << 20);
}

/// 64-bit key of a coordinate: bit 63 set; bits 62 … 54 batch, 53 … 36 x, 35 … 18 y, 17 … 0 z, each modulo
/// its width. Zero is no key.
std::uint64_t packed_key(const std::int32_t coordinate[4]);
std::array<std::int32_t, 4> unpacked_key(std::uint64_t key);
bool in_range(const std::int32_t coordinate[4]);

/// SplitMix64's output mixer, a bijection; and its inverse.
std::uint64_t mixed(std::uint64_t key);
std::uint64_t unmixed(std::uint64_t mixed);

/// The oracle, into host buffers, of all phases up to `last`: `status`, and `found` of a search; of an
/// insertion (and of a clearing alone) `found` and `summary` as they are read back.
void reference(const problem&);

}  // namespace ablate::hash_table
