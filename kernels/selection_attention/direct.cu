// Attention to selected blocks; keys and values go from global memory straight into fragments.
//   S = Q·Kᵀ, P = 2^(c·s − m), O += P·V: a warp has 16 queries of one head and processes 16 keys at a time.
// A tile of keys and values is 4 KB for 2·2·16·16·64 FLOPs, 16 per byte, so the path from L2 is the limit,
// and bytes in flight count. mma.sync leaves two orders free. The elements of a head may be permuted if Q and
// K agree: lane c of a quad loads chunks c and c + 4, of 16 bytes, of a key's row, its parts of four
// products. The columns of V may be permuted if O's are: lane l loads chunk l / 4 of the rows of its four
// keys, and column j of product n is element 8 j + n. Each load of a warp covers whole sectors. There are no
// shared memory, copies, barriers or swizzles, and all of L1 serves neighbors that read the same block.
//   K of the next tile is in flight while this one's scores become outputs, V of the next while its scores
//   are computed; with two tiles ahead both are loaded a tile earlier, for 32 more registers.
//   `pdl`: the kernel begins, and loads its queries, while the one before it ends.
// Should move: shared-memory accesses (none), bytes from L2 a second.
#include "kernels/common/configured.h"
#include "kernels/common/dependent_launch.cuh"
#include "kernels/selection_attention/fragments.cuh"
#include "kernels/selection_attention/launches.h"

namespace ablate::selection_attention {

struct direct_config {
  bool gated = false, merged = false, kept = false;  ///< row_output's
  softmax_form softmax = softmax_form::lazy;
  int tiles_ahead = 1;  ///< of keys and values that are on their way
  int warps = 4;        ///< of a block: neighbors of one head, which share an L1 with what they read
};

template <class Configured>
__global__ __launch_bounds__(
    32 * Configured::config.warps,
    (Configured::config.tiles_ahead == 1 ? 16 : 12) /
        Configured::config.warps) void attend_directly(const __grid_constant__ view v) {
  constexpr direct_config config = Configured::config;
  constexpr int ahead = config.tiles_ahead;
  __shared__ int entries[config.warps][max_entries];
  const work_item at(v);
  if (!at.attends(v)) return;
  const unsigned lane = threadIdx.x % 32, quad = lane / 4, in_quad = lane % 4;
  const long long of_head = at.head * v.tokens * row_bytes;
  const unsigned char* const keys = v.k + of_head + quad * row_bytes + in_quad * 16;
  const unsigned char* const values = v.v + of_head + 2 * in_quad * row_bytes + quad * 16;
  const long long queries = of_head + static_cast<long long>(at.tile) * tile_bytes + quad * row_bytes;

  row_fragments query;
  query.load(v.q + queries + in_quad * 16);
  // Lists and compressed rows may be the kernel's before.
  wait_for_previous_kernel();
  const key_tiles list(v, at, entries[threadIdx.x / 32]);
  const int count = list.count();

  row_fragments key[ahead];
  value_fragments value[ahead];
#pragma unroll
  for (int i = 0; i < ahead; ++i) {
    if (i >= count) break;
    key[i].load(keys + list[i] * tile_bytes);
    value[i].load(values + list[i] * tile_bytes);
  }
  softmax_rows<config.softmax> rows;
#pragma unroll 1
  for (int first = 0; first < count; first += ahead) {
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (first + i >= count) break;
      float s[2][4];
      multiply_tile(s, query, key[i]);
      const int next = first + i + ahead;
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

#pragma unroll
  for (int half = 0; half < 2; ++half)
    store_row<row_output{config.gated, config.merged, config.kept}>(
        v, rows, half, at.head, static_cast<long long>(at.tile) * tile + half * 8 + quad,
        at.tile >> v.log2_in_block);
}

template <direct_config Config = direct_config{}>
void run_directly(launcher& to, const view& v, bool overlaps_previous = false) {
  launch(to, attend_directly<configured<Config>>,
         {.grid = dim3(v.grid(Config.warps)),
          .block = dim3(32 * Config.warps),
          .overlaps_previous = overlaps_previous},
         v);
}

void direct(launcher& to, const problem& p, const switches& s) {
  view v(p, s.word("grid") == "by_head");
  if (p.layout().is_cut()) return attend_in_layout(to, v, p.layout());
  const bool in_epilogue = p.is_gated && s.word("gate") == "epilogue";
  if (p.forced_is_there) {
    v.forced_blocks = 0;  // lists do not name them
    run_directly<direct_config{.gated = true, .merged = true}>(to, v);
  } else if (in_epilogue && p.keeps_ungated)
    run_directly<direct_config{.gated = true, .kept = true}>(to, v, s.is_on("pdl"));
  else if (in_epilogue)
    run_directly<direct_config{.gated = true}>(to, v, s.is_on("pdl"));
  else if (s.word("softmax") == "running")
    run_directly<direct_config{.softmax = softmax_form::online}>(to, v);
  else if (s.integer("tiles_ahead") == 2)
    run_directly<direct_config{.tiles_ahead = 2}>(to, v);
  else if (s.integer("warps") == 16)
    run_directly<direct_config{.warps = 16}>(to, v);
  else
    run_directly(to, v);
  if (p.is_gated && !in_epilogue) apply_gates(to, v);
}

}  // namespace ablate::selection_attention
