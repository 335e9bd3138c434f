#pragma once

#include "kernels/block_sparse_selection/block_sparse_selection.h"
#include "kernels/common/bf16.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::block_sparse_selection {

constexpr int row_threads = 256, row_warps = row_threads / 32;
constexpr int row_bytes = 2 * width;

/// Key blocks of a row, and their mass in units of 2^-40 of that of the greatest score.
struct block_sum {
  unsigned long long mass = 0;
  int count = 0;

  __device__ block_sum operator+(const block_sum& other) const {
    return {mass + other.mass, count + other.count};
  }
  __device__ block_sum operator-(const block_sum& other) const {
    return {mass - other.mass, count - other.count};
  }
};

struct add_sums {
  __device__ block_sum operator()(const block_sum& a, const block_sum& b) const { return a + b; }
};

/// The problem as passed to a kernel.
struct view {
  const unsigned char *q, *k;
  std::uint32_t* kept;
  std::int32_t* counts;
  int heads, queries, keys, words;
  int least_kept;
  unsigned mass_percent;

  explicit view(const problem& p)
      : q(reinterpret_cast<const unsigned char*>(p.q)),
        k(reinterpret_cast<const unsigned char*>(p.k)),
        kept(p.kept),
        counts(p.counts),
        heads(static_cast<int>(p.heads)),
        queries(static_cast<int>(p.queries)),
        keys(static_cast<int>(p.keys)),
        words(static_cast<int>(p.words())),
        least_kept(p.least_kept()),
        mass_percent(static_cast<unsigned>(p.mass_percent)) {}

  __device__ long long row(int head, int query) const {
    return static_cast<long long>(head) * queries + query;
  }
  __device__ const uint4* key_row(int head, int key) const {
    return reinterpret_cast<const uint4*>(k + (static_cast<long long>(head) * keys + key) * row_bytes);
  }
  /// Whether a row that keeps so much has all that is asked for.
  __device__ bool has_all(const block_sum& kept_so_far, unsigned long long total) const {
    return kept_so_far.count >= least_kept && 100 * kept_so_far.mass >= mass_percent * total;
  }
};

__device__ inline float element_of_query(const view& v, int head, int query, int element) {
  const auto* const row = reinterpret_cast<const std::uint16_t*>(v.q + v.row(head, query) * row_bytes);
  return float_of_bf16(row[element]);
}

/// Eight elements of bf16.
__device__ inline void widen(const uint4& chunk, float (&to)[8]) {
  const unsigned words[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

/// An unsigned number in the order of scores. −0 counts as 0.
__device__ inline unsigned image_of(float score) {
  const unsigned bits = __float_as_uint(score + 0.0f);
  return bits ^ ((bits >> 31) != 0 ? 0xffffffffu : 0x80000000u);
}
__device__ inline float score_of(unsigned image) {
  return __uint_as_float(image ^ ((image >> 31) != 0 ? 0x80000000u : 0xffffffffu));
}

/// Of a score beside a row's greatest one.
__device__ inline unsigned long long mass_of(unsigned image, float greatest) {
  constexpr float log2_e_over_8 = 0.18033688f;
  return static_cast<unsigned long long>(exp2f((score_of(image) - greatest) * log2_e_over_8) * 0x1p40f);
}

/// Query rows in shared memory, as fp32; those past the last one are the last. The block waits for them.
template <int Rows>
__device__ void load_queries(const view& v, int head, int first, float (&query)[Rows][width]) {
  for (int i = static_cast<int>(threadIdx.x); i < Rows * width; i += row_threads)
    query[i / width][i % width] = element_of_query(v, head, min(first + i / width, v.queries - 1), i % width);
  __syncthreads();
}

/// Scores of one key with all rows: each a sum in the order of the elements.
template <int Rows>
__device__ void score_key(const uint4* key_row, const float (&query)[Rows][width], float (&scores)[Rows]) {
#pragma unroll
  for (float& score : scores) score = 0;
#pragma unroll
  for (int i = 0; i < width / 8; ++i) {
    float key[8];
    widen(key_row[i], key);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
#pragma unroll
      for (int d = 0; d < 8; ++d) scores[r] = fmaf(query[r][8 * i + d], key[d], scores[r]);
    }
  }
}

}  // namespace ablate::block_sparse_selection
