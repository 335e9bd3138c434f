// Scores by integer tensor cores: S = scale of the query block · scale of the box · Σ of products of int8
// (int8_rows.h), int32 sums, exact.
//   64 numbers are 64 bytes: a row of 32 bf16 to copies, swizzle and ldmatrix, and a step of 32 numbers one
// of 16 bf16, so that fragments are loaded as there.
// Should move: tensor instructions, and bytes of keys, to half.
#pragma once

#include "kernels/compression_attention/attend.cuh"

namespace ablate::compression_attention {

constexpr unsigned int8_row_bytes = width;

/// A sum of products as a score. Sums are whole numbers below 2^22 in size, which the low bits of 1.5 · 2^23
/// hold: an addition and a subtraction where a conversion takes four times as long.
__device__ inline float score_of_sum(int sum, float scale) {
  constexpr int bits = 0x4b400000;
  return (__int_as_float(bits + sum) - 12582912.0f) * scale;
}

class warp_int8_scores : protected warp_scores {
 protected:
  explicit __device__ warp_int8_scores(const view& v) : warp_scores(v) {}

  __device__ void copy_queries(unsigned char* to, long long first) const {
    copy_rows<tile_queries>(to, v_.int8.q, first, v_.rows);
  }
  __device__ void copy_keys(unsigned char* to, const key_box& box) const {
    copy_rows<tile_keys>(to, v_.int8.k, box.first, box.first + box.there);
  }

  __device__ void load_queries(const unsigned char* from) {
    const unsigned at =
        mma::shared_address(from) + warp() * rows_of_warp * rows8::row_bytes + rows8::place_by_rows(lane());
#pragma unroll
    for (int step = 0; step < steps8; ++step)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        mma::load_matrices(queries8_[step][i], rows8::moved(at, step) + i * 16 * rows8::row_bytes);
    const long long block = first_query_ / kept_blocks::queries;
    query_scale_ = __ldg(v_.int8.q_scales + head_ * v_.kept.query_blocks() + block);
    // A warp's outputs will be where rows of another's queries are.
    __syncthreads();
  }

  __device__ void compute_scores(tile_scores& s, const unsigned char* keys, const key_box& box) const {
    const float key_scale = key_scale_of(box);
    const unsigned place = mma::shared_address(keys) + rows8::place_by_columns(lane());
    int sums[2][tile_keys / 8][4];
#pragma unroll
    for (int step = 0; step < steps8; ++step)
      mma::multiply_step<rows8>(sums, queries8_[step], rows8::moved(place, step), step == 0);
    const float scale = query_scale_ * key_scale;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int n = 0; n < tile_keys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) s[i][n][e] = score_of_sum(sums[i][n][e], scale);
  }

  /// Where no key is there, no box either.
  __device__ float key_scale_of(const key_box& box) const {
    if (box.there == 0) return 1;
    return __ldg(v_.int8.k_scales + head_ * v_.kept.boxes(v_.rows) + v_.kept.box_of(box.first));
  }

  __device__ float missing_in_scores(long long row) const { return v_.int8.offsets[head_ * v_.rows + row]; }

 private:
  using rows8 = mma::swizzled_rows<width / 2>;
  static constexpr int steps8 = width / 32;
  static_assert(rows8::row_bytes == int8_row_bytes);

  template <int Rows>
  __device__ void copy_rows(unsigned char* to, const std::int8_t* tensor, long long first,
                            long long end) const {
    constexpr int rows_at_once = block_threads / static_cast<int>(rows8::chunks);
    const unsigned at =
        mma::shared_address(to) + rows8::place(threadIdx.x / rows8::chunks, threadIdx.x % rows8::chunks);
    const std::int8_t* const from =
        tensor + head_ * v_.rows * int8_row_bytes + threadIdx.x % rows8::chunks * 16;
    const long long row = first + threadIdx.x / rows8::chunks;
#pragma unroll
    for (int i = 0; i < Rows; i += rows_at_once) {
      const bool is_there = row + i < end;
      mma::copy_async_or_zero(at + i * rows8::row_bytes, from + (is_there ? row + i : 0) * int8_row_bytes,
                              is_there);
    }
  }

  unsigned queries8_[steps8][2][4];
  float query_scale_ = 0;
};

}  // namespace ablate::compression_attention
