// The vector-key table as WarpConvNet's documentation describes it: slots hold the coordinate, rows are in a
// separate array. A probe is one 128-bit access; two keys share a sector. A slot is claimed by a 128-bit
// compare-and-swap on sm_90; before that by its batch word, which marks the key as being written and is set
// last. Should move: sectors per miss, up from 8-byte keys; packing arithmetic, to none.
#pragma once

#include "kernels/hash_table/layouts/layout.cuh"

namespace ablate::hash_table {

class in_line {
 public:
  using key_type = coordinate;
  static constexpr int keys_per_sector = 2;

  __host__ __device__ in_line(void* memory, long long slots, const coordinate*)
      : keys_(static_cast<coordinate*>(memory)), rows_(reinterpret_cast<int*>(keys_ + slots)) {}

  __device__ key_type key_of(const coordinate& c, int) const { return wrapped(c); }
  __device__ void clear(unsigned slot, int row_of_empty) {
    keys_[slot] = empty_key();
    rows_[slot] = row_of_empty;
  }
  __device__ int look(unsigned slot, const key_type& key) const {
    const coordinate seen = keys_[slot];
    if (equal(seen, key)) return rows_[slot];
    return seen.x == INT_MIN ? slot_empty : slot_other;
  }
  __device__ int peek(unsigned slot, const key_type& key) const { return compared(load(slot), key); }
  __device__ int claim(unsigned slot, const key_type& key) {
    coordinate before;
#if __CUDA_ARCH__ >= 900
    const coordinate expected = empty_key();
    before = swapped(slot, expected, key);
#else
    // The batch word guards the whole key: it is claimed with a value that no batch has, and set last.
    int* batch = &keys_[slot].x;
    int seen = atomicCAS(batch, INT_MIN, being_written);
    if (seen == INT_MIN) {
      keys_[slot].y = key.y;
      keys_[slot].z = key.z;
      keys_[slot].w = key.w;
      __threadfence();
      atomicExch(batch, key.x);
      return slot_mine;
    }
    while (seen == being_written) seen = atomicOr(batch, 0);
    __threadfence();
    before = load(slot);
#endif
    return before.x == INT_MIN ? slot_mine : compared(before, key);
  }
  __device__ void store(unsigned slot, int row) { rows_[slot] = row; }
  __device__ void lower(unsigned slot, int row) { atomicMin(rows_ + slot, row); }
  __device__ bool occupied(unsigned slot) const { return keys_[slot].x != INT_MIN; }
  __device__ std::uint64_t key_at(unsigned slot) const { return pack(keys_[slot]); }

 private:
  static constexpr int being_written = INT_MIN + 1;  ///< batch of a key still being written (before sm_90)

  __device__ static coordinate empty_key() { return {INT_MIN, INT_MIN, INT_MIN, INT_MIN}; }
  __device__ static int compared(const coordinate& seen, const key_type& key) {
    // A key still being written may turn out equal: report empty, so that the caller tries to claim it and
    // waits.
    return equal(seen, key) ? slot_same : seen.x <= being_written ? slot_empty : slot_other;
  }
  __device__ coordinate load(unsigned slot) const {
    coordinate seen;
    asm volatile("ld.volatile.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(seen.x), "=r"(seen.y), "=r"(seen.z), "=r"(seen.w)
                 : "l"(keys_ + slot)
                 : "memory");
    return seen;
  }
#if __CUDA_ARCH__ >= 900
  __device__ coordinate swapped(unsigned slot, const coordinate& expected, const coordinate& desired) const {
    coordinate before;
    asm volatile(
        "{\n\t"
        ".reg .b64 e0, e1, d0, d1, b0, b1;\n\t"
        ".reg .b128 e, d, b;\n\t"
        "mov.b64 e0, {%5, %6};\n\tmov.b64 e1, {%7, %8};\n\tmov.b128 e, {e0, e1};\n\t"
        "mov.b64 d0, {%9, %10};\n\tmov.b64 d1, {%11, %12};\n\tmov.b128 d, {d0, d1};\n\t"
        "atom.global.cas.b128 b, [%4], e, d;\n\t"
        "mov.b128 {b0, b1}, b;\n\tmov.b64 {%0, %1}, b0;\n\tmov.b64 {%2, %3}, b1;\n\t"
        "}"
        : "=r"(before.x), "=r"(before.y), "=r"(before.z), "=r"(before.w)
        : "l"(keys_ + slot), "r"(expected.x), "r"(expected.y), "r"(expected.z), "r"(expected.w),
          "r"(desired.x), "r"(desired.y), "r"(desired.z), "r"(desired.w)
        : "memory");
    return before;
  }
#endif

  coordinate* keys_;
  int* rows_;
};

}  // namespace ablate::hash_table
