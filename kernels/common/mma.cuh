#pragma once

#include <cstdint>

namespace ablate::mma {

/// Matrix products of a warp and what feeds them, on sm_80 and later (PTX ISA: mma.m16n8k16, ldmatrix,
/// cp.async): D[16][8] += A[16][16] · B[16][8], bf16 operands, fp32 accumulators.
///
/// Of lane l: accumulator d[i] is row l / 4 + 8 · (i >> 1), column 2 · (l % 4) + (i & 1). Register a[j] of A
/// holds row l / 4 + 8 · (j & 1), columns 2 · (l % 4) + 8 · (j >> 1), + 1. Register b[j] of B holds rows
/// 2 · (l % 4) + 8 · j, + 1, column l / 4. So two neighboring tiles of accumulators, packed, are a fragment
/// of A, without a shuffle.

/// Rows of `Width` bf16 in shared memory, their 16-byte chunks XORed with the row number, so that the same
/// chunk of eight neighboring rows is in different banks. Tiles begin at multiples of 128 bytes. Up to 64
/// elements per row, this is TMA's own swizzle.
template <int Width>
struct swizzled_rows {
  static constexpr unsigned row_bytes = 2 * Width, chunks = row_bytes / 16;
  static constexpr unsigned rows_of_banks = row_bytes < 128 ? 128 / row_bytes : 1;
  static constexpr unsigned exchanged = (chunks < 8 ? chunks : 8) - 1;
  __device__ static constexpr unsigned place(unsigned row, unsigned chunk) {
    return row * row_bytes + ((chunk ^ (row / rows_of_banks & exchanged)) << 4);
  }

  /// Where this lane's address for load_matrices points, of 16 rows and the first 16 columns: the lane gets
  /// a fragment of A with these rows; or transposed, where the rows are those of B, two of B, 8 columns each.
  __device__ static unsigned place_by_rows(unsigned lane) { return place(lane % 16, lane / 16); }
  /// The same where the 16 rows are columns of B: two fragments of B, r[0] and r[1] of the first 8.
  __device__ static unsigned place_by_columns(unsigned lane) {
    return place(lane % 8 + lane / 16 * 8, lane / 8 % 2);
  }
  /// The same `steps` times 16 columns further. Further rows, multiples of 8, are added as bytes.
  __device__ static constexpr unsigned moved(unsigned place, unsigned steps) {
    return (place ^ (steps % 4 << 5)) + steps / 4 * 128;
  }
};

__device__ inline unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// 16 bytes from device to shared memory, asynchronously; both 16-byte aligned.
__device__ inline void copy_async(unsigned to_shared, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to_shared), "l"(from) : "memory");
}
/// The same, or 16 zero bytes without a read.
__device__ inline void copy_async_or_zero(unsigned to_shared, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to_shared), "l"(from),
               "r"(is_there ? 16 : 0)
               : "memory");
}
/// copy_async through L1: for data that other warps on the multiprocessor read, too.
__device__ inline void copy_async_through_l1(unsigned to_shared, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to_shared), "l"(from) : "memory");
}
/// Commits a group of this thread's copies.
__device__ inline void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most `Pending` of this thread's groups are in flight.
template <int Pending>
__device__ inline void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Waits for all copies, of all threads of the block, which are then done with what they read before, too.
__device__ inline void finish_copies() {
  copy_commit();
  copy_wait<0>();
  __syncthreads();
}

/// Four matrices of 8 rows of 16 bytes; lane l gives the address of row l % 8 of matrix l / 8. Of each, the
/// lane gets row l / 4, columns 2 · (l % 4), + 1; transposed: rows 2 · (l % 4), + 1, column l / 4.
__device__ inline void load_matrices(unsigned (&r)[4], unsigned shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared)
               : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&r)[4], unsigned shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared)
               : "memory");
}

__device__ inline void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// D[16][8] += A[16][32] · B[32][8], int8 operands, int32 accumulators (mma.m16n8k32): fragments are those
/// above, with two neighboring int8 instead of each bf16.
__device__ inline void multiply_add(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void multiply(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %10, %10, %10};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(0));
}

/// D = A · B: the addend is the zero register, so no accumulator has to be cleared.
__device__ inline void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %10, %10, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0f));
}

}  // namespace ablate::mma
