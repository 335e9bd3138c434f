// Attention first, then lists, from few recomputed scores.
//   Attention (attend.cuh) stores each row's greatest score per tile of 64 keys: a 64th of all scores. The
//   `selected`-th greatest of a row's maxima bounds its list from below, because that many keys, one per
//   tile, reach it; tiles with a lower maximum contain no listed key. A second kernel finds the bounds,
//   recomputes the tiles that reach one of them, by the same products and hence to the same bits, and lists
//   the scores that reach their row's bound (with_choice.cuh).
// A block has 128 rows and copies the tiles that any of them needs; a warp multiplies those that its 32 rows
// need. The full scores are never written, and the search starts with a tight threshold; its cost is the
// second product of the remaining tiles.
// Should move: candidates a row, against a threshold alone; DRAM bytes, against two_pass.cu.
#include "kernels/compression_attention/launches.h"
#include "kernels/compression_attention/recomputed_tiles.h"
#include "kernels/compression_attention/with_choice.cuh"

namespace ablate::compression_attention {

/// Leaves each tile's maxima in v.scores, [head][tile][row].
struct write_maxima {
  struct memory {};
  const view& v;
  __device__ write_maxima(const view& of, memory*) : v(of) {}
  __device__ void see(const tile_scores& s, const group_maxima& most, const tile_place& at) {
    const unsigned lane = threadIdx.x % 32;
    float of_row[4];  // rows 8 r + lane / 4
#pragma unroll
    for (int r = 0; r < 4; ++r)
      of_row[r] = at.first_key < v.first_listed ? greatest_listed(s, r, at.first_key)
                                                : fmaxf(most[0][r / 2][r % 2], most[1][r / 2][r % 2]);
    float mine = 0;  // of row 8 (lane % 4) + lane / 4
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const float of_quad = max_of_quad(of_row[r]);
      if (static_cast<int>(lane % 4) == r) mine = of_quad;
    }
    const maxima_shape shape(v.rows);
    v.scores[shape.place(at.head, at.first_key / tile_keys, at.first_query + 8 * (lane % 4) + lane / 4)] =
        mine;
  }
  __device__ void finish(const view&, const tile_place&) {}

 private:
  /// Of a tile that begins with keys that are in no list.
  __device__ float greatest_listed(const tile_scores& s, int r, unsigned first_key) const {
    float greatest = -INFINITY;
#pragma unroll
    for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        if (first_key + 8 * n + threadIdx.x % 4 * 2 + e >= v.first_listed)
          greatest = fmaxf(greatest, s[r / 2][n][2 * (r % 2) + e]);
    return greatest;
  }
};

template <int Halves>
struct recomputing_memory {
  alignas(128) unsigned char queries[tile_queries * row_bytes];
  alignas(128) unsigned char keys[2][tile_keys * row_bytes];
  lists_and_candidates<Halves> of_warp[block_threads / 32];
  // After it: a bit for each tile that a warp needs, [warp][words_of(tiles)].
};

template <int Halves>
class recomputing : warp_scores {
 public:
  using memory = recomputing_memory<Halves>;
  __device__ recomputing(const view& v, memory& shared, unsigned* bits)
      : warp_scores(v),
        shared_(shared),
        bits_(bits),
        tiles_(static_cast<int>(v.padded_rows / tile_keys)),
        shape_(v.rows) {}

  __device__ void run() {
    const long long first = find_place();
    if (first >= v_.rows) return;
    copy<tile_queries>(shared_.queries, v_.q, v_.rows, first, v_.rows);
    find_tiles();
    __syncthreads();
    list();
  }

 private:
  __device__ auto& of_warp() { return shared_.of_warp[warp()]; }
  __device__ unsigned* needed_by(unsigned warp) const { return bits_ + warp * words_of(tiles_); }

  /// A row's maximum in a tile.
  __device__ float maximum(int tile, unsigned row) const {
    return v_.scores[shape_.place(head_, tile, first_query_ + row)];
  }

  /// Bounds of the warp's rows, as the least of the greatest maxima, which are listed as if tiles were keys.
  __device__ void find_bounds() {
    keeps_above_threshold<Halves> greatest(v_.selected, 0, &of_warp());
#pragma unroll 1
    for (int first = 0; first < tiles_; first += tile_keys) {
      tile_scores maxima;
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int tile = first + static_cast<int>(8 * n + lane() % 4 * 2 + e % 2);
            maxima[i][n][e] = tile < tiles_ ? maximum(tile, 16 * i + 8 * (e / 2) + lane() / 4) : -INFINITY;
          }
      group_maxima most;
      find_maxima(maxima, most);
      greatest.see(maxima, most, {head_, first_query_, static_cast<unsigned>(first)});
    }
    greatest.find_leasts(bounds_);
  }

  /// Notes the tiles in which one of the warp's rows reaches its bound.
  __device__ void find_tiles() {
    find_bounds();
    // The bound of row `lane` comes from the lanes of row lane % 8 of each eight.
    float mine = 0;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const float of_row = __shfl_sync(~0u, bounds_[r / 2][r % 2], 4 * (lane() % 8));
      if (static_cast<int>(lane() / 8) == r) mine = of_row;
    }
    const bool is_row = first_query_ + lane() < v_.rows;
#pragma unroll 1
    for (int word = 0; word < words_of(tiles_); ++word) {
      unsigned needed = 0;
#pragma unroll 8
      for (int bit = 0; bit < 32; ++bit) {
        const int tile = 32 * word + bit;
        const float most = tile < tiles_ && is_row ? maximum(tile, lane()) : -INFINITY;
        if (__any_sync(~0u, most > -INFINITY && most >= mine)) needed |= 1u << bit;
      }
      if (lane() == 0) needed_by(warp())[word] = needed;
    }
  }

  /// The first tile after `tile` that a warp of the block needs, or as many as there are.
  __device__ int next_needed(int tile) const {
    return next_tile(tile, tiles_, [&](int word) {
      unsigned needed = 0;
#pragma unroll
      for (unsigned of = 0; of < block_threads / 32; ++of) needed |= needed_by(of)[word];
      return needed;
    });
  }

  __device__ void copy_keys(int buffer, int tile) const {
    copy<tile_keys>(shared_.keys[buffer], v_.k, v_.key_stride, static_cast<long long>(tile) * tile_keys,
                    v_.key_rows);
  }

  __device__ void list() {
    keeps_above_threshold<Halves, list_bound::known> lists(v_, &of_warp());
    lists.begin_at(bounds_);
    int tile = next_needed(-1), buffer = 0;
    if (tile < tiles_) copy_keys(buffer, tile);
    mma::finish_copies();
    load_queries(shared_.queries);
#pragma unroll 1
    while (tile < tiles_) {
      const int next = next_needed(tile);
      if (next < tiles_) copy_keys(buffer ^ 1, next);
      if ((needed_by(warp())[tile / 32] >> tile % 32 & 1) != 0) {
        tile_scores s;
        compute_scores(s, shared_.keys[buffer]);
        if (const long long there = v_.rows - tile * static_cast<long long>(tile_keys); there < tile_keys)
          mask(s, static_cast<int>(there));
        group_maxima most;
        find_maxima(s, most);
        lists.see(s, most, {head_, first_query_, static_cast<unsigned>(tile) * tile_keys});
      }
      mma::finish_copies();
      buffer ^= 1;
      tile = next;
    }
    lists.finish(v_, {head_, first_query_, 0});
  }

  memory& shared_;
  unsigned* bits_;
  int tiles_;
  maxima_shape shape_;
  float bounds_[2][2];  ///< of the lane's rows 16 i + 8 j + lane / 4
};

/// blockIdx.x: 128 queries, then heads.
template <int Halves>
__global__ __launch_bounds__(block_threads, 3 - Halves) void list_recomputed(const __grid_constant__ view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  using memory = recomputing_memory<Halves>;
  recomputing<Halves>(v, *reinterpret_cast<memory*>(raw), reinterpret_cast<unsigned*>(raw + sizeof(memory)))
      .run();
}

template <int Halves>
void run_recomputed(launcher& to, const view& v) {
  const std::size_t bits =
      sizeof(unsigned) * (block_threads / 32) * words_of(static_cast<int>(v.padded_rows / tile_keys));
  const unsigned blocks = blocks_for(v.rows, tile_queries) * static_cast<unsigned>(v.heads);
  launch(to, list_recomputed<Halves>, dim3(blocks), dim3(block_threads),
         sizeof(recomputing_memory<Halves>) + bits, v);
}

void recomputed(launcher& to, const problem& p, const switches&) {
  const view v(p);
  run_attention<write_maxima>(to, v);
  (p.selected > 32 ? run_recomputed<2> : run_recomputed<1>)(to, v);
}

}  // namespace ablate::compression_attention
