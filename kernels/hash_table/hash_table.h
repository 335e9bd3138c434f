#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate::hash_table {

/// A hash table from voxel coordinates (batch, x, y, z) to row numbers, as sparse convolution uses it
/// (WarpConvNet's PackedHashTable). Two operations share its kernels: hash_insert builds a table from rows,
/// hash_search looks up queries in a prebuilt table (docs/operations/hash_insert.md, hash_search.md).

/// The phases of the work, in order. A problem runs those from `first` to `last`.
enum class phase {
  clear,     ///< empties every slot
  insert,    ///< inserts every row, or sets status_full
  search,    ///< finds every query's row
  read_back  ///< for the check of an insertion: `found` for every row, `summary` of the slots
};

enum table_status : std::int32_t { status_ok = 0, status_full = 1 };

/// What the instrumented form counts, over all threads. A variant without one leaves `operations` 0.
enum event {
  operations,        ///< rows inserted or queries searched
  hits,              ///< queries found, or rows whose key was already there
  probes_of_hits,    ///< slots probed by those (windows, for cooperative probing)
  probes_of_misses,  ///< slots probed by the others
  sectors,           ///< 32-byte sectors of keys read
  longest,           ///< the most slots probed by one operation (a maximum, not a sum)
  atomics,           ///< compare-and-swaps and atomic minima sent to device memory
  event_count
};

/// The events are followed by two histograms of probes per operation (counted as in `probes_of_hits`), one of
/// hits and one of the others: a bin each for 0 … 63, then one per power of two up to 2^31.
constexpr int exact_probe_bins = 64, probe_bins = exact_probe_bins + 26;
constexpr int hit_histogram = event_count, miss_histogram = hit_histogram + probe_bins;
constexpr int event_words = miss_histogram + probe_bins;

struct problem {
  std::int64_t rows = 0;     ///< rows to insert, below 2^31
  std::int64_t queries = 0;  ///< below 2^40
  std::int64_t slots = 16;   ///< C: a power of two from 16, at most 2^31
  /// Whether out-of-range queries (batch not in 0 … 511, a coordinate not in −131072 … 131071) are misses; if
  /// not, each field wraps silently, as in the published table.
  bool guards = true;
  bool keeps_smallest = false;  ///< of equal rows, the smallest wins; else whichever comes first
  phase first = phase::clear, last = phase::insert;

  const std::int32_t* coordinates = nullptr;  ///< [rows][4]: batch, x, y, z; in range
  const std::int32_t* wanted = nullptr;       ///< [queries][4]

  void* table = nullptr;           ///< table_bytes(slots, rows): the variant's own layout
  std::int32_t* status = nullptr;  ///< [1]: table_status, the worst of all rows; cleared with the table
  std::int32_t* found = nullptr;   ///< [queries] (search) or [rows] (read_back): row, or −1
  std::uint64_t* summary =
      nullptr;  ///< [2], from read_back: occupied slots; sum of mixed(key) over them, mod 2^64
  unsigned long long* events = nullptr;  ///< [event_words]; null = the plain form of the kernels

  bool does(phase p) const { return first <= p && p <= last; }
};

/// Bytes for the variant that needs the most: 20 per slot; or 16 per slot and 16 per row queued for its
/// region, with slack for regions of unequal size.
constexpr std::size_t table_bytes(std::int64_t slots, std::int64_t rows) {
  const auto every_slot = static_cast<std::size_t>(slots), every_row = static_cast<std::size_t>(rows);
  return 20 * every_slot + 17 * every_row + (std::size_t{1} << 20);
}

}  // namespace ablate::hash_table
