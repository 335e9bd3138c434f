// VI, the vector-key table that was shipped before: a slot holds a marker and a row in 8 bytes, and the
// 16-byte key stands with the caller's rows. Every occupied slot on the way costs a second, dependent access
// at random. Marker and row are published together by one 64-bit compare-and-swap. Should move: L2 sectors a
// probe, up by one for each occupied slot; stalls on long scoreboards.
#pragma once

#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

class indirect {
 public:
  struct key_type {
    coordinate at;
    int row;  ///< of the row that is inserted
  };
  static constexpr int keys_per_sector = 4;

  __host__ __device__ indirect(void* memory, long long, const coordinate* rows)
      : pairs_(static_cast<word*>(memory)), rows_(rows) {}

  __device__ key_type key_of(const coordinate& c, int row) const { return {wrapped(c), row}; }
  /// A row that takes minima starts with the claiming row: row_of_empty needs no place.
  __device__ void clear(unsigned slot, int) { pairs_[slot] = empty_pair; }
  __device__ int look(unsigned slot, const key_type& key) const {
    const word seen = pairs_[slot];
    if (seen == empty_pair) return slot_empty;
    const int row = row_of(seen);
    return equal(rows_[row], key.at) ? row : slot_other;
  }
  __device__ int peek(unsigned slot, const key_type& key) const { return compared(pairs_[slot], key); }
  __device__ int claim(unsigned slot, const key_type& key) {
    const word mine = static_cast<word>(static_cast<unsigned>(key.row)) << 32 | slot;
    const word before = atomicCAS(pairs_ + slot, empty_pair, mine);
    return before == empty_pair ? slot_mine : compared(before, key);
  }
  __device__ void store(unsigned, int) {}  // the claim has stored it
  __device__ void lower(unsigned slot, int row) { atomicMin(reinterpret_cast<int*>(pairs_ + slot) + 1, row); }
  __device__ bool occupied(unsigned slot) const { return pairs_[slot] != empty_pair; }
  __device__ std::uint64_t key_at(unsigned slot) const { return pack(rows_[row_of(pairs_[slot])]); }

 private:
  using word = unsigned long long;
  static constexpr word empty_pair = ~0ull;  // marker −1, row −1

  __device__ static int row_of(word pair) { return static_cast<int>(pair >> 32); }
  __device__ int compared(word seen, const key_type& key) const {
    if (seen == empty_pair) return slot_empty;
    return equal(rows_[row_of(seen)], key.at) ? slot_same : slot_other;
  }

  word* pairs_;
  const coordinate* rows_;
};

}  // namespace ablate::hash_table
