// Rows on their way from global memory into fragments of mma.sync (direct.cu says how), and out of them.
#pragma once

#include "kernels/selection_attention/softmax_rows.cuh"
#include "kernels/selection_attention/view.cuh"

namespace ablate::selection_attention {

/// A lane's part of two rows (l / 4 and l / 4 + 8): chunks l % 4 and l % 4 + 4.
struct row_fragments {
  unsigned word[2][8];

  /// `at`: chunk l % 4 of row l / 4.
  __device__ void load(const unsigned char* at) {
#pragma unroll
    for (int row = 0; row < 2; ++row) load_row(row, at + row * 8 * row_bytes);
  }
  /// `at`: chunk l % 4 of row l / 4 + 8 · row.
  __device__ void load_row(int row, const unsigned char* at) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint4 chunk = __ldg(reinterpret_cast<const uint4*>(at + half * 64));
      word[row][4 * half] = chunk.x;
      word[row][4 * half + 1] = chunk.y;
      word[row][4 * half + 2] = chunk.z;
      word[row][4 * half + 3] = chunk.w;
    }
  }
};

/// A lane's part of four values (2·(l % 4), + 1, + 8, + 9): chunk l / 4.
struct value_fragments {
  unsigned word[4][4];

  /// Of value `row`, beside the first of them.
  __device__ static constexpr int offset(int row) { return row / 2 * 8 + row % 2; }

  /// `at`: the chunk of the first of them.
  __device__ void load(const unsigned char* at) {
#pragma unroll
    for (int row = 0; row < 4; ++row) load_row(row, at + offset(row) * static_cast<int>(row_bytes));
  }
  __device__ void load_row(int row, const unsigned char* at) {
    const uint4 chunk = __ldg(reinterpret_cast<const uint4*>(at));
    word[row][0] = chunk.x;
    word[row][1] = chunk.y;
    word[row][2] = chunk.z;
    word[row][3] = chunk.w;
  }
  /// Element n of the chunks of two neighboring values: a register of B.
  __device__ unsigned pair(int first, int n) const {
    return __byte_perm(word[first][n / 2], word[first + 1][n / 2], n % 2 == 0 ? 0x5410 : 0x7632);
  }
};

/// 16 elements of a row, one after the other.
struct row_part {
  unsigned word[8];

  __device__ void load(const unsigned char* at) {
    *reinterpret_cast<uint4*>(word) = __ldg(reinterpret_cast<const uint4*>(at));
    *reinterpret_cast<uint4*>(word + 4) = __ldg(reinterpret_cast<const uint4*>(at) + 1);
  }
  /// Where the kernel writes later.
  __device__ void load_before_store(const unsigned char* at) {
    *reinterpret_cast<uint4*>(word) = *reinterpret_cast<const uint4*>(at);
    *reinterpret_cast<uint4*>(word + 4) = *(reinterpret_cast<const uint4*>(at) + 1);
  }
  __device__ float operator[](int i) const {
    return __uint_as_float(i % 2 == 0 ? word[i / 2] << 16 : word[i / 2] & 0xffff0000u);
  }
};

/// Scores of 16 queries and 16 keys.
__device__ inline void multiply_tile(float (&s)[2][4], const row_fragments& query, const row_fragments& key) {
#pragma unroll
  for (int step = 0; step < width / 16; ++step) {
    const unsigned a[4] = {query.word[0][2 * step], query.word[1][2 * step], query.word[0][2 * step + 1],
                           query.word[1][2 * step + 1]};
#pragma unroll
    for (int n = 0; n < 2; ++n)
      if (step == 0)
        mma::multiply(s[n], a, key.word[n][0], key.word[n][1]);
      else
        mma::multiply_add(s[n], a, key.word[n][2 * step], key.word[n][2 * step + 1]);
  }
}

/// Attention to two sets of keys from that to each: the outputs of a lane's row `half`, of log-sum-exp `lse`,
/// and what is in memory of the same row. Returns the log-sum-exp of both. All lanes call it.
template <softmax_form Form>
__device__ float merge_with_stored(const view& v, softmax_rows<Form>& rows, int half, long long row,
                                   float lse) {
  const unsigned in_quad = threadIdx.x % 4;
  row_part stored;
  stored.load_before_store(v.out + row * row_bytes + in_quad * 32);
  // One lane reads what it writes later.
  const float lse_stored =
      __shfl_sync(~0u, in_quad == 0 ? v.lse[row] : 0, static_cast<int>(threadIdx.x % 32 - in_quad));
  // Nothing was listed: −∞, and all is as stored.
  const float most = fmaxf(lse, lse_stored), part = expf(lse - most), part_stored = expf(lse_stored - most);
  const float weight = part / (part + part_stored), weight_stored = part_stored / (part + part_stored);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    float& x = rows.out[i % 8][2 * half + i / 8];
    x = weight * x + weight_stored * stored[i];
  }
  return most + logf(part + part_stored);
}

/// The lane's 16 elements of row l / 4 + 8 · `half`, one after the other: columns 2·(l % 4) and + 1 of the
/// eight products.
template <softmax_form Form>
__device__ void store_elements(unsigned char* to, const softmax_rows<Form>& rows, int half) {
#pragma unroll
  for (int column = 0; column < 2; ++column) {
    const auto pair = [&](int n) {
      return packed(rows.out[n][2 * half + column], rows.out[n + 1][2 * half + column]);
    };
    *reinterpret_cast<uint4*>(to + column * 16) = make_uint4(pair(0), pair(2), pair(4), pair(6));
  }
}

/// What becomes of a row once its keys are through.
struct row_output {
  bool gated = false;   ///< O = γ_c · C + γ_s · S, instead of S
  bool merged = false;  ///< S with what is in memory of the same row (problem::forced_is_there)
  bool kept = false;    ///< S is stored as well (problem::ungated)
};

/// Outputs and log-sum-exp of row l / 4 + 8 · `half`, a token of this head in this block. All lanes call it;
/// those of a row that is not there store nothing.
template <row_output Output, softmax_form Form>
__device__ void store_row(const view& v, softmax_rows<Form>& rows, int half, int head, long long token,
                          long long block, bool is_there = true) {
  const unsigned in_quad = threadIdx.x % 4;
  float lse = rows.finish(half);
  if constexpr (Output.merged) lse = merge_with_stored(v, rows, half, head * v.tokens + token, lse);
  if (!is_there) return;
  const long long row = head * v.tokens + token, place = row * row_bytes + in_quad * 32;
  if constexpr (Output.kept) store_elements(v.ungated + place, rows, half);
  if constexpr (Output.gated) {
    const float2 gates = __ldg(v.gates + token * v.heads_of_gates + head);
    row_part compressed;
    compressed.load(v.compressed + (static_cast<long long>(head) * v.blocks + block) * row_bytes +
                    in_quad * 32);
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float& x = rows.out[i % 8][2 * half + i / 8];
      x = gates.x * compressed[i] + gates.y * x;
    }
  }
  store_elements(v.out + place, rows, half);
  if (in_quad == 0) v.lse[row] = lse;
}

}  // namespace ablate::selection_attention
