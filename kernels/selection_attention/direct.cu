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

/// 16 elements of a row, one after the other.
struct row_part {
  unsigned word[8];

  __device__ void load(const unsigned char* at) {
    *reinterpret_cast<uint4*>(word) = __ldg(reinterpret_cast<const uint4*>(at));
    *reinterpret_cast<uint4*>(word + 4) = __ldg(reinterpret_cast<const uint4*>(at) + 1);
  }
  __device__ float operator[](int i) const {
    return __uint_as_float(i % 2 == 0 ? word[i / 2] << 16 : word[i / 2] & 0xffff0000u);
  }
};

/// `Warps` neighbors of one head share a block of threads, and so an L1 with what they read.
template <maximum Maximum, int Ahead, int Warps, bool Gated>
__global__ __launch_bounds__(32 * Warps, (Ahead == 1 ? 16 : 12) /
                                             Warps) void attend_directly(const __grid_constant__ view v) {
  __shared__ int entries[Warps][most_selected];
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
    const long long token = static_cast<long long>(at.tile) * tile + half * 8 + quad;
    if constexpr (Gated) {
      const float2 gates = __ldg(v.gates + token * v.heads + at.head);
      const long long block = static_cast<long long>(at.head) * v.blocks + (at.tile >> v.log2_in_block);
      row_part compressed;
      compressed.load(v.compressed + block * row_bytes + in_quad * 32);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        float& x = rows.out[i % 8][2 * half + i / 8];
        x = gates.x * compressed[i] + gates.y * x;
      }
    }
    unsigned char* const to = v.out + queries + half * 8 * row_bytes + in_quad * 32;
#pragma unroll
    for (int column = 0; column < 2; ++column) {
      const auto pair = [&](int n) {
        return packed(rows.out[n][2 * half + column], rows.out[n + 1][2 * half + column]);
      };
      *reinterpret_cast<uint4*>(to + column * 16) = make_uint4(pair(0), pair(2), pair(4), pair(6));
    }
    if (in_quad == 0) v.lse[at.head * v.tokens + token] = lse;
  }
}

template <maximum Maximum, int Ahead, int Warps, bool Gated = false>
void run_directly(launcher& to, const view& v) {
  launch(to, attend_directly<Maximum, Ahead, Warps, Gated>, dim3(v.grid(Warps)), dim3(32 * Warps), 0, v);
}

void direct(launcher& to, const problem& p, const switches& s) {
  if (p.work == phase::read_back) return compare_with_plain(to, p);
  const view v(p, s.word("grid") == "by_head");
  const bool in_epilogue = p.is_gated && s.word("gate") == "epilogue";
  if (in_epilogue)
    run_directly<maximum::lazy, 1, 4, true>(to, v);
  else if (s.word("softmax") == "running")
    run_directly<maximum::running, 1, 4>(to, v);
  else if (s.integer("tiles_ahead") == 2)
    run_directly<maximum::lazy, 2, 4>(to, v);
  else if (s.integer("warps") == 16)
    run_directly<maximum::lazy, 1, 16>(to, v);
  else
    run_directly<maximum::lazy, 1, 4>(to, v);
  if (p.is_gated && !in_epilogue) apply_gates(to, v);
}

}  // namespace ablate::selection_attention
