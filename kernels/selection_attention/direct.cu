// Attention to selected blocks whose keys and values go from global memory straight into fragments.
//   S = Q·Kᵀ, P = 2^(c·s − m), O += P·V: a warp has 16 queries of one head and takes 16 keys at a time.
// A tile of keys and its values are 4 KB for 2·2·16·16·64 FLOPs: 16 a byte, so what bounds is the path from
// L2, and the fewer bytes wait elsewhere, the more can be on their way. mma.sync leaves two orders free. The
// elements of a head may be numbered in any way, if Q's are as K's: so lane c of a quad takes chunks c and
// c + 4, of 16 bytes, of a key's row, which are its parts of four products. And the columns of V may be, if
// O's are: so lane l takes chunk l / 4 of the rows of its four keys, and column j of product n is element
// 8 j + n. Each load of a warp covers whole sectors; shared memory, copies to it, barriers and swizzles there
// are none, and L1, all of it, serves neighbors that read the same block.
//   K of the next tile is on its way while this one's scores become outputs, V of the next while its scores
//   are computed; with two tiles ahead, both a tile earlier, for 32 registers more.
// Should move: shared-memory accesses (none), bytes from L2 a second. Specification: sparse_attention_hopper
// §3, S7.
#include "kernels/selection_attention/softmax.cuh"
#include "kernels/selection_attention/view.cuh"

namespace ablate::selection_attention {

/// A lane's part of two rows (l / 4 and l / 4 + 8): chunks l % 4 and l % 4 + 4.
struct row_fragments {
  unsigned word[2][8];

  /// `at`: chunk l % 4 of row l / 4.
  __device__ void load(const unsigned char* at) {
#pragma unroll
    for (int row = 0; row < 2; ++row)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const uint4 chunk = __ldg(reinterpret_cast<const uint4*>(at + row * 8 * row_bytes + half * 64));
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

  /// `at`: the chunk of the first of them.
  __device__ void load(const unsigned char* at) {
#pragma unroll
    for (int row = 0; row < 4; ++row) {
      const uint4 chunk =
          __ldg(reinterpret_cast<const uint4*>(at + (row / 2 * 8 + row % 2) * static_cast<int>(row_bytes)));
      word[row][0] = chunk.x;
      word[row][1] = chunk.y;
      word[row][2] = chunk.z;
      word[row][3] = chunk.w;
    }
  }
  /// Element n of the chunks of two neighboring values: a register of B.
  __device__ unsigned pair(int first, int n) const {
    return __byte_perm(word[first][n / 2], word[first + 1][n / 2], n % 2 == 0 ? 0x5410 : 0x7632);
  }
};

template <maximum Maximum, int Ahead>
__global__ __launch_bounds__(threads,
                             Ahead == 1 ? 4 : 3) void attend_directly(const __grid_constant__ view v) {
  __shared__ int entries[warps][most_selected];
  const work_item at(v);
  if (at.tile >= v.tiles) return;
  const unsigned lane = threadIdx.x % 32, quad = lane / 4, in_quad = lane % 4;
  const long long of_head = at.head * v.tokens * row_bytes;
  const unsigned char* const keys = v.k + of_head + quad * row_bytes + in_quad * 16;
  const unsigned char* const values = v.v + of_head + 2 * in_quad * row_bytes + quad * 16;
  const long long queries = of_head + static_cast<long long>(at.tile) * tile_bytes + quad * row_bytes;

  row_fragments query;
  query.load(v.q + queries + in_quad * 16);
  const key_tiles list(v, at, entries[threadIdx.x / 32]);
  const int count = list.count();

  row_fragments key[Ahead];
  value_fragments value[Ahead];
#pragma unroll
  for (int i = 0; i < Ahead; ++i) {
    if (i >= count) break;
    key[i].load(keys + list[i] * tile_bytes);
    value[i].load(values + list[i] * tile_bytes);
  }
  softmax_rows<Maximum> rows;
#pragma unroll 1
  for (int first = 0; first < count; first += Ahead) {
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      if (first + i >= count) break;
      float s[2][4];
#pragma unroll
      for (int step = 0; step < width / 16; ++step) {
        const unsigned a[4] = {query.word[0][2 * step], query.word[1][2 * step], query.word[0][2 * step + 1],
                               query.word[1][2 * step + 1]};
#pragma unroll
        for (int n = 0; n < 2; ++n)
          if (step == 0)
            mma::multiply(s[n], a, key[i].word[n][0], key[i].word[n][1]);
          else
            mma::multiply_add(s[n], a, key[i].word[n][2 * step], key[i].word[n][2 * step + 1]);
      }
      const int next = first + i + Ahead;
      const unsigned next_tile = next < count ? list[next] * tile_bytes : 0;
      if (next < count) key[i].load(keys + next_tile);
      unsigned p[4];
      rows.weigh(s, v.scale_log2, p);
#pragma unroll
      for (int n = 0; n < columns; ++n)
        mma::multiply_add(rows.out[n], p, value[i].pair(0, n), value[i].pair(2, n));
      if (next < count) value[i].load(values + next_tile);
    }
  }

  // Columns 2·(l % 4) and + 1 of the eight products are 16 elements of a row one after the other.
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float lse = rows.finish(half);
    unsigned char* const to = v.out + queries + half * 8 * row_bytes + in_quad * 32;
#pragma unroll
    for (int column = 0; column < 2; ++column) {
      const auto pair = [&](int n) {
        return packed(rows.out[n][2 * half + column], rows.out[n + 1][2 * half + column]);
      };
      *reinterpret_cast<uint4*>(to + column * 16) = make_uint4(pair(0), pair(2), pair(4), pair(6));
    }
    if (in_quad == 0)
      v.lse[at.head * v.tokens + static_cast<long long>(at.tile) * tile + half * 8 + quad] = lse;
  }
}

void direct(launcher& to, const problem& p, const switches& s) {
  if (p.work == phase::read_back) return compare_with_plain(to, p);
  const view v(p, s.word("grid") == "by_head");
  const auto kernel = s.word("softmax") == "running"  ? attend_directly<maximum::running, 1>
                      : s.integer("tiles_ahead") == 1 ? attend_directly<maximum::lazy, 1>
                                                      : attend_directly<maximum::lazy, 2>;
  launch(to, kernel, dim3(v.grid()), dim3(threads), 0, v);
}

}  // namespace ablate::selection_attention
