// The vector-key table that shipped before packed keys: a slot holds a marker and a row number in 8 bytes;
// the 16-byte key stays in the caller's rows. Every occupied slot probed costs a second, dependent random
// access. One 64-bit compare-and-swap publishes marker and row together. Should move: L2 sectors per probe,
// up by one per occupied slot; long-scoreboard stalls.
#pragma once

#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

class indirect {
 public:
  struct key_type {
    coordinate at;
    int row;  ///< the row being inserted
  };
  static constexpr int keys_per_sector = 4;

  __host__ __device__ indirect(void* memory, long long, const coordinate* rows)
      : pairs_(static_cast<word*>(memory)), rows_(rows) {}

  __device__ key_type key_of(const coordinate& c, int row) const { return {wrapped(c), row}; }
  /// Minima start from the claiming row, so row_of_empty is not stored.
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
  __device__ void store(unsigned, int) {}  // the claim already stored it
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
