#pragma once

#include <cstdint>

#include "kernels/common/operand_major.h"

namespace ablate::hopper {

/// Warpgroup matrix products of Hopper (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"):
/// D[64][N] (+)= A[64][16] · B[16][N], bf16 operands, fp32 accumulators, by the 128 threads of a warpgroup.
/// A is in shared memory or in registers, B in shared memory. All of this needs sm_90a.
///
/// Accumulator d[i] of thread t (warp w = t / 32 of the group, lane l = t % 32) is row
/// 16 w + l / 4 + 8 · ((i >> 1) & 1), column 8 · (i >> 2) + 2 · (l % 4) + (i & 1). Register a[j] of A holds
/// row 16 w + l / 4 + 8 · (j & 1) and columns 2 · (l % 4) + 8 · (j >> 1), + 1: four neighboring pairs of an
/// accumulator are a fragment of A, without a shuffle.

/// How rows of a shared tile are swizzled: the 16-byte chunks of a row of `span` bytes are XORed with the row
/// number.
template <int SpanBytes>
struct swizzle {
  static_assert(SpanBytes == 32 || SpanBytes == 64 || SpanBytes == 128);
  static constexpr int span_bytes = SpanBytes;
  static constexpr int pattern_bytes = 8 * SpanBytes;  ///< tiles begin at multiples of this
  static constexpr std::uint64_t layout_type = SpanBytes == 128 ? 1 : SpanBytes == 64 ? 2 : 3;
  /// Swizzled position of the byte at `offset` of an unswizzled tile; the tile begins at a multiple of the
  /// pattern.
  __host__ __device__ static constexpr unsigned place(unsigned offset) {
    return offset ^ ((offset >> 7) & (SpanBytes / 16 - 1)) << 4;
  }
};

/// Matrix descriptor of a tile at `shared_address` (a 32-bit address of the shared window). Tiles of rows of
/// `Swizzle::span_bytes`: 8 rows are a group, groups follow each other. `leading_bytes`: from one span to the
/// next along the contiguous dimension, where the operand is wider than a span and that dimension is N.
template <class Swizzle>
__device__ inline std::uint64_t matrix_descriptor(unsigned shared_address, unsigned leading_bytes = 16) {
  return static_cast<std::uint64_t>((shared_address & 0x3ffff) >> 4) |
         static_cast<std::uint64_t>(leading_bytes >> 4) << 16 |
         static_cast<std::uint64_t>(Swizzle::pattern_bytes >> 4) << 32 | Swizzle::layout_type << 62;
}

/// The descriptor of the data `bytes` further on.
__device__ inline std::uint64_t moved_by(std::uint64_t descriptor, unsigned bytes) {
  return descriptor + (bytes >> 4);
}

/// Required before the first MMA, and whenever registers that an MMA reads or writes have been touched since.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Commits a group of MMAs.
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most `Pending` groups are in flight.
template <int Pending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

/// Keeps the compiler from hoisting uses of accumulators above a wait.
template <int Count>
__device__ inline void fence_operand(float (&d)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

template <int Count>
__device__ inline void fence_operand(int (&d)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(d[i])::"memory");
}

/// `accumulates` false: D = A · B.
template <int N>
struct wgmma;

#define ABLATE_F4(i) "+f"(d[4 * (i)]), "+f"(d[4 * (i) + 1]), "+f"(d[4 * (i) + 2]), "+f"(d[4 * (i) + 3])
#define ABLATE_F16(i) \
  ABLATE_F4(4 * (i)), ABLATE_F4(4 * (i) + 1), ABLATE_F4(4 * (i) + 2), ABLATE_F4(4 * (i) + 3)
#define ABLATE_R4 "%0, %1, %2, %3"
#define ABLATE_R8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define ABLATE_R16 ABLATE_R8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define ABLATE_R12 ABLATE_R8 ", %8, %9, %10, %11"
#define ABLATE_R20 ABLATE_R16 ", %16, %17, %18, %19"
#define ABLATE_R36 ABLATE_R32 ", %32, %33, %34, %35"
#define ABLATE_R32 \
  ABLATE_R16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define ABLATE_R48 \
  ABLATE_R32       \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define ABLATE_R64                                                                                         \
  ABLATE_R32                                                                                               \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, " \
  "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define ABLATE_R128                                                                                          \
  ABLATE_R64                                                                                                 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "   \
  "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, " \
  "%104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, "   \
  "%121, %122, %123, %124, %125, %126, %127"

/// `registers` names the accumulators; r0 … r6 are the operands after them.
#define ABLATE_WGMMA(n, registers, r0, r1, r2, r3, r4, r5, r6, ...)                                          \
  template <>                                                                                                \
  struct wgmma<n> {                                                                                          \
    template <operand_major Major>                                                                           \
    __device__ static void shared_a(float (&d)[n / 2], std::uint64_t a, std::uint64_t b, bool accumulates) { \
      asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " r2                                                \
                   ", 0;\n\t"                                                                                \
                   "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.bf16.bf16 {" registers "}, " r0 ", " r1   \
                   ", p, 1, 1, 0, " r3 ";\n\t}"                                                              \
                   : __VA_ARGS__                                                                             \
                   : "l"(a), "l"(b), "r"(static_cast<int>(accumulates)), "n"(static_cast<int>(Major)));      \
    }                                                                                                        \
    template <operand_major Major>                                                                           \
    __device__ static void register_a(float (&d)[n / 2], const unsigned* a, std::uint64_t b,                 \
                                      bool accumulates) {                                                    \
      asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, " r5                                                \
                   ", 0;\n\t"                                                                                \
                   "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.bf16.bf16 {" registers "}, {" r0 ", " r1  \
                   ", " r2 ", " r3 "}, " r4 ", p, 1, 1, " r6 ";\n\t}"                                        \
                   : __VA_ARGS__                                                                             \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(accumulates)), \
                     "n"(static_cast<int>(Major)));                                                          \
    }                                                                                                        \
  };

ABLATE_WGMMA(8, ABLATE_R4, "%4", "%5", "%6", "%7", "%8", "%9", "%10", ABLATE_F4(0))
ABLATE_WGMMA(16, ABLATE_R8, "%8", "%9", "%10", "%11", "%12", "%13", "%14", ABLATE_F4(0), ABLATE_F4(1))
ABLATE_WGMMA(24, ABLATE_R12, "%12", "%13", "%14", "%15", "%16", "%17", "%18", ABLATE_F4(0), ABLATE_F4(1),
             ABLATE_F4(2))
ABLATE_WGMMA(32, ABLATE_R16, "%16", "%17", "%18", "%19", "%20", "%21", "%22", ABLATE_F16(0))
ABLATE_WGMMA(40, ABLATE_R20, "%20", "%21", "%22", "%23", "%24", "%25", "%26", ABLATE_F16(0), ABLATE_F4(4))
ABLATE_WGMMA(64, ABLATE_R32, "%32", "%33", "%34", "%35", "%36", "%37", "%38", ABLATE_F16(0), ABLATE_F16(1))
ABLATE_WGMMA(72, ABLATE_R36, "%36", "%37", "%38", "%39", "%40", "%41", "%42", ABLATE_F16(0), ABLATE_F16(1),
             ABLATE_F4(8))
ABLATE_WGMMA(96, ABLATE_R48, "%48", "%49", "%50", "%51", "%52", "%53", "%54", ABLATE_F16(0), ABLATE_F16(1),
             ABLATE_F16(2))
ABLATE_WGMMA(128, ABLATE_R64, "%64", "%65", "%66", "%67", "%68", "%69", "%70", ABLATE_F16(0), ABLATE_F16(1),
             ABLATE_F16(2), ABLATE_F16(3))
ABLATE_WGMMA(256, ABLATE_R128, "%128", "%129", "%130", "%131", "%132", "%133", "%134", ABLATE_F16(0),
             ABLATE_F16(1), ABLATE_F16(2), ABLATE_F16(3), ABLATE_F16(4), ABLATE_F16(5), ABLATE_F16(6),
             ABLATE_F16(7))

#define ABLATE_I4(i) "+r"(d[4 * (i)]), "+r"(d[4 * (i) + 1]), "+r"(d[4 * (i) + 2]), "+r"(d[4 * (i) + 3])
#define ABLATE_I16(i) \
  ABLATE_I4(4 * (i)), ABLATE_I4(4 * (i) + 1), ABLATE_I4(4 * (i) + 2), ABLATE_I4(4 * (i) + 3)

/// D[64][128] (+)= A[64][32] · B[32][128], int8 operands, both k_major in shared memory, int32 accumulators
/// placed as above.
__device__ inline void multiply_int8(int (&d)[64], std::uint64_t a, std::uint64_t b, bool accumulates) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %66, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {" ABLATE_R64 "}, %64, %65, p;\n\t}"
      : ABLATE_I16(0), ABLATE_I16(1), ABLATE_I16(2), ABLATE_I16(3)
      : "l"(a), "l"(b), "r"(static_cast<int>(accumulates)));
}

#undef ABLATE_I16
#undef ABLATE_I4
#undef ABLATE_WGMMA
#undef ABLATE_R128
#undef ABLATE_R64
#undef ABLATE_R48
#undef ABLATE_R36
#undef ABLATE_R32
#undef ABLATE_R20
#undef ABLATE_R12
#undef ABLATE_R16
#undef ABLATE_R8
#undef ABLATE_R4
#undef ABLATE_F16
#undef ABLATE_F4

}  // namespace ablate::hopper
