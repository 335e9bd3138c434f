// Attention among pooled rows by mma.sync, and what happens to scores on the way.
//   S = Q·Kᵀ (32 queries of a warp × 64 keys, fp32 in registers), P = 2^(c·s − m), O += P·V, as in
//   window_attention/mma_forward.cuh; m is raised only when a score exceeds it by 8 powers of two
//   (selection_attention/softmax.cuh). A block has 128 queries of one head; keys and values pass by in tiles
//   of 64 rows, the next one copied ahead. Rows of the last tile that do not exist have scores of −∞.
// A chooser sees each tile's raw scores before they become probabilities: with_choice.cuh keeps the greatest,
// two_pass.cu writes them to memory, no_choice ignores them.
#pragma once

#include <cfloat>

#include "kernels/common/mma_tiles.cuh"
#include "kernels/common/softmax_math.cuh"
#include "kernels/compression_attention/key_boxes.cuh"

namespace ablate::compression_attention {

constexpr int block_threads = 128, rows_of_warp = 32;

/// Of a lane: [i][n][e] is row 16 i + 8 (e / 2) + lane / 4 of the warp's, key 8 n + 2 (lane % 4) + e % 2.
using tile_scores = float[2][tile_keys / 8][4];

/// The greatest of a lane's scores of 32 keys: [group of keys][i][e / 2].
using group_maxima = float[2][2][2];

/// Where a warp's scores belong.
struct tile_place {
  int head;
  long long first_query;  ///< of the warp, in its head
  unsigned first_key;
};

/// No lists.
struct no_choice {
  struct memory {};
  __device__ no_choice(const view&, memory*) {}
  __device__ void see(const tile_scores&, const group_maxima&, const tile_place&) {}
  __device__ void finish(const view&, const tile_place&) {}
};

template <class Chooser>
struct attend_memory {
  alignas(128) unsigned char queries[tile_queries * row_bytes];  ///< in the end outputs
  alignas(128) unsigned char keys[2][tile_keys * row_bytes];
  alignas(128) unsigned char values[2][tile_keys * row_bytes];
  typename Chooser::memory of_warp[block_threads / 32];
};

/// A warp's 32 queries, and their scores against tiles of keys.
class warp_scores {
 protected:
  using rows = mma::swizzled_rows<width>;
  static constexpr int steps = width / 16;

  explicit __device__ warp_scores(const view& v) : v_(v) {}

  __device__ static unsigned lane() { return threadIdx.x % 32; }
  __device__ static unsigned warp() { return threadIdx.x / 32; }

  /// The queries of blockIdx.x: the first one of the block.
  __device__ long long find_place() {
    const auto tiles = static_cast<unsigned>((v_.chunk_rows + tile_queries - 1) / tile_queries);
    head_ = static_cast<int>(blockIdx.x / tiles);
    const long long first = v_.first_row + static_cast<long long>(blockIdx.x % tiles) * tile_queries;
    first_query_ = first + warp() * rows_of_warp;
    return first;
  }

  /// Of a tensor with that many rows a head; rows from `end` on become zeros.
  template <int Rows>
  __device__ void copy(unsigned char* to, const unsigned char* tensor, long long rows_of_head,
                       long long first, long long end) const {
    constexpr int rows_at_once = block_threads / 8;
    const unsigned at =
        mma::shared_address(to) + rows::place(threadIdx.x / rows::chunks, threadIdx.x % rows::chunks);
    const unsigned char* const from =
        tensor + head_ * rows_of_head * row_bytes + threadIdx.x % rows::chunks * 16;
    const long long row = first + threadIdx.x / rows::chunks;
#pragma unroll
    for (int i = 0; i < Rows; i += rows_at_once) {
      const bool is_there = row + i < end;
      mma::copy_async_or_zero(at + i * row_bytes, from + (is_there ? row + i : 0) * row_bytes, is_there);
    }
  }
  __device__ void copy_queries(unsigned char* to, long long first) const {
    copy<tile_queries>(to, v_.q, v_.rows, first, v_.rows);
  }
  __device__ void copy_keys(unsigned char* to, const key_box& box) const {
    copy<tile_keys>(to, v_.k, v_.key_stride, box.first, box.first + box.there);
  }

  /// From swizzled rows, those of the block.
  __device__ void load_queries(const unsigned char* from) {
    const unsigned at =
        mma::shared_address(from) + warp() * rows_of_warp * row_bytes + rows::place_by_rows(lane());
#pragma unroll
    for (int step = 0; step < steps; ++step)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        mma::load_matrices(queries_[step][i], rows::moved(at, step) + i * 16 * row_bytes);
  }

  __device__ void compute_scores(tile_scores& s, const unsigned char* keys) const {
    const unsigned place = mma::shared_address(keys) + rows::place_by_columns(lane());
#pragma unroll
    for (int step = 0; step < steps; ++step)
      mma::multiply_step<rows>(s, queries_[step], rows::moved(place, step), step == 0);
  }

  __device__ void compute_scores(tile_scores& s, const unsigned char* keys, const key_box&) const {
    compute_scores(s, keys);
  }
  /// What a row's scaled scores lack, all of them.
  __device__ float missing_in_scores(long long) const { return 0; }

  /// Keys of a tile that do not exist: all but the first ones.
  __device__ static void mask(tile_scores& s, int there) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          if (static_cast<int>(8 * n + lane() % 4 * 2 + e % 2) >= there) s[i][n][e] = -INFINITY;
  }

  __device__ static void find_maxima(const tile_scores& s, group_maxima& most) {
#pragma unroll
    for (int group = 0; group < 2; ++group)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float& of_group = most[group][i][j];
          of_group = -INFINITY;
#pragma unroll
          for (int n = 4 * group; n < 4 * group + 4; ++n)
            of_group = fmaxf(of_group, fmaxf(s[i][n][2 * j], s[i][n][2 * j + 1]));
        }
  }

  const view& v_;
  int head_ = 0;
  long long first_query_ = 0;  ///< of the warp

 private:
  unsigned queries_[steps][2][4];
};

/// `Walk`: the keys that the block's queries meet (key_boxes.cuh). `Scores`: what they are multiplied by.
template <class Chooser, class Walk = all_boxes, class Scores = warp_scores>
class attention : Scores {
 public:
  __device__ attention(const view& v, attend_memory<Chooser>& shared)
      : Scores(v), shared_(shared), chooser_(v, &shared.of_warp[warp()]) {}

  __device__ void run() {
    const long long first = find_place();
    if (first >= v_.rows) return;
    copy_queries(shared_.queries, first);
    Walk boxes(v_, head_, first);
    const key_box box = boxes.next();
    copy_tile(0, box);
    mma::finish_copies();
    load_queries(shared_.queries);
    attend(boxes, box);
  }

 private:
  using rows = warp_scores::rows;
  using Scores::compute_scores;
  using Scores::copy_keys;
  using Scores::copy_queries;
  using Scores::find_maxima;
  using Scores::find_place;
  using Scores::first_query_;
  using Scores::head_;
  using Scores::lane;
  using Scores::load_queries;
  using Scores::mask;
  using Scores::missing_in_scores;
  using Scores::v_;
  using Scores::warp;

  __device__ void copy_tile(int buffer, const key_box& box) const {
    copy_keys(shared_.keys[buffer], box);
    this->template copy<tile_keys>(shared_.values[buffer], v_.v, v_.key_stride, box.first,
                                   box.first + box.there);
  }

  __device__ void raise(const group_maxima& of_tile) {
    constexpr float slack = 8;
    float now[2][2];
    bool exceeds = false;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        now[i][j] = fmaxf(of_tile[0][i][j], of_tile[1][i][j]) * v_.scale_log2;
        exceeds = exceeds || now[i][j] > most_[i][j] + slack;
      }
    if (!__any_sync(~0u, exceeds)) return;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const float most = fmaxf(most_[i][j], max_of_quad(now[i][j]));
        const float rescale = exp2_of(most_[i][j] - most);
        most_[i][j] = most;
        sum_[i][j] *= rescale;
#pragma unroll
        for (int n = 0; n < width / 8; ++n) {
          out_[i][n][2 * j] *= rescale;
          out_[i][n][2 * j + 1] *= rescale;
        }
      }
  }

  __device__ void add_outputs(tile_scores& s, int buffer) {
    const unsigned place = mma::shared_address(shared_.values[buffer]) + rows::place_by_rows(lane());
#pragma unroll
    for (int k = 0; k < tile_keys / 16; ++k) {
      unsigned p[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float(&x)[4] = s[i][2 * k + half];
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            x[e] = exp2_of(fmaf(x[e], v_.scale_log2, -most_[i][e / 2]));
            sum_[i][e / 2] += x[e];
          }
          p[i][2 * half] = packed(x[0], x[1]);
          p[i][2 * half + 1] = packed(x[2], x[3]);
        }
      mma::add_products<rows>(out_, p, place, k * 16 * row_bytes);
    }
  }

  /// `box`: the first one, which is being copied.
  __device__ void attend(Walk& boxes, key_box box) {
    const int count = boxes.count();
    int buffer = 0;
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      const bool is_last = i + 1 == count;
      key_box next{};
      if (!is_last) {
        next = boxes.next();
        copy_tile(buffer ^ 1, next);
      }
      tile_scores s;
      compute_scores(s, shared_.keys[buffer], box);
      if (box.there < tile_keys) mask(s, box.there);
      group_maxima most;
      find_maxima(s, most);
      chooser_.see(s, most, {head_, first_query_, static_cast<unsigned>(box.first)});
      raise(most);
      add_outputs(s, buffer);
      if (is_last) break;
      mma::finish_copies();
      buffer ^= 1;
      box = next;
    }
    chooser_.finish(v_, {head_, first_query_, 0});
    write();
  }

  /// Outputs by way of the warp's own rows of shared memory, which held its queries, and the log-sum-exp.
  __device__ void write() {
    constexpr float ln2 = 0.693147180559945f;
    const unsigned first = warp() * rows_of_warp;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const unsigned row = 16 * i + 8 * j + lane() / 4;
        const float sum = sum_of_quad(sum_[i][j]);
        // A row whose scores are all −∞ comes out as NaN, as 0 / 0 would.
        const float inverse = sum == 0 ? NAN : 1 / sum;
        if (lane() % 4 == 0 && first_query_ + row < v_.rows)
          v_.lse[head_ * v_.rows + first_query_ + row] =
              sum == 0 ? NAN : (most_[i][j] + log2f(sum)) * ln2 + missing_in_scores(first_query_ + row);
#pragma unroll
        for (int n = 0; n < width / 8; ++n)
          *reinterpret_cast<unsigned*>(shared_.queries + rows::place(first + row, n) + lane() % 4 * 4) =
              packed(out_[i][n][2 * j] * inverse, out_[i][n][2 * j + 1] * inverse);
      }
    __syncwarp();
    unsigned char* const to = v_.out + (head_ * v_.rows + first_query_) * row_bytes;
#pragma unroll
    for (unsigned at = lane(); at < rows_of_warp * rows::chunks; at += 32) {
      const unsigned row = at / rows::chunks, chunk = at % rows::chunks;
      if (first_query_ + row < v_.rows)
        *reinterpret_cast<uint4*>(to + row * row_bytes + chunk * 16) =
            *reinterpret_cast<const uint4*>(shared_.queries + rows::place(first + row, chunk));
    }
  }

  attend_memory<Chooser>& shared_;
  Chooser chooser_;
  float out_[2][width / 8][4] = {};
  float most_[2][2] = {{-FLT_MAX, -FLT_MAX},
                       {-FLT_MAX, -FLT_MAX}};  ///< finite: differences to it are numbers
  float sum_[2][2] = {};
};

/// blockIdx.x: 128 queries, then heads.
template <class Chooser>
__global__ __launch_bounds__(block_threads, 2) void attend(const __grid_constant__ view v) {
  extern __shared__ __align__(128) unsigned char raw[];
  attention<Chooser>(v, *reinterpret_cast<attend_memory<Chooser>*>(raw)).run();
}

template <class Chooser>
void run_attention(launcher& to, const view& v) {
  const unsigned blocks = blocks_for(v.chunk_rows, tile_queries) * static_cast<unsigned>(v.heads);
  launch(to, attend<Chooser>, dim3(blocks), dim3(block_threads), sizeof(attend_memory<Chooser>), v);
}

}  // namespace ablate::compression_attention
