#pragma once

#include <cstring>
#include <type_traits>

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/common/softmax_math.cuh"

namespace ablate::block_pooling {

constexpr unsigned row_bytes = 2 * width;

/// What a lane has of a row of 64 elements in memory: 16 bytes, eight lanes a row, or 4 bytes, 32 lanes.
template <int Elements>
struct stored_piece {
  static constexpr int lanes = width / Elements;
  using words = std::conditional_t<Elements == 8, uint4, unsigned>;
  static_assert(sizeof(words) == 2 * Elements);

  unsigned word[Elements / 2];

  __device__ static unsigned lane() { return threadIdx.x % lanes; }
  __device__ void load(const unsigned char* row) {
    take(__ldg(reinterpret_cast<const words*>(row) + lane()));
  }
  /// Of a row that the kernel stores to.
  __device__ void load_written(const unsigned char* row) {
    take(reinterpret_cast<const words*>(row)[lane()]);
  }
  __device__ void store(unsigned char* row) const {
    words written;
    memcpy(&written, word, sizeof written);
    reinterpret_cast<words*>(row)[lane()] = written;
  }
  __device__ float operator[](int i) const {
    return __uint_as_float(i % 2 == 0 ? word[i / 2] << 16 : word[i / 2] & 0xffff0000u);
  }

 private:
  __device__ void take(const words& read) { memcpy(word, &read, sizeof read); }
};

/// The same in fp32. Lanes of a warp exchange elements: all 32 call what says so.
template <int Elements>
struct row_piece {
  static constexpr int lanes = width / Elements;

  float x[Elements] = {};

  row_piece() = default;
  __device__ explicit row_piece(const stored_piece<Elements>& stored) { add(stored); }

  __device__ static int first_element() { return static_cast<int>(threadIdx.x) % lanes * Elements; }
  /// Whether the lane's elements are rotated by the column of a patch, not by its row.
  __device__ static bool is_of_column() { return first_element() >= width / 2; }

  __device__ void add(const stored_piece<Elements>& stored) {
#pragma unroll
    for (int i = 0; i < Elements; ++i) x[i] += stored[i];
  }
  __device__ void add(const row_piece& other) {
#pragma unroll
    for (int i = 0; i < Elements; ++i) x[i] += other.x[i];
  }
  __device__ void multiply(float factor) {
#pragma unroll
    for (float& element : x) element *= factor;
  }

  /// Adds up the rows that the warp has, in all of its lanes. All lanes.
  __device__ void add_up_rows() {
#pragma unroll
    for (int far = lanes; far < 32; far *= 2)
#pragma unroll
      for (float& element : x) element += __shfl_xor_sync(~0u, element, far);
  }

  /// `weights`: 64 of them, then 64 biases. All lanes.
  __device__ void normalize(const float* weights) {
    center_and_scale();
#pragma unroll
    for (int i = 0; i < Elements; i += 2) {
      const float2 weight = pair_of(weights, i), bias = pair_of(weights + width, i);
      x[i] = fmaf(x[i], weight.x, bias.x);
      x[i + 1] = fmaf(x[i + 1], weight.y, bias.y);
    }
  }

  /// From the gradient of normalized rows to that of the rows: with y = (r − mean) · inverse and g = w·this,
  ///   inverse · (g − mean(g) − y · mean(g·y)).
  /// `row`: what was normalized. All lanes.
  __device__ void normalize_back(const float* weights, row_piece row) {
    const float inverse = row.center_and_scale();
    float sum = 0, along = 0;
#pragma unroll
    for (int i = 0; i < Elements; i += 2) {
      const float2 weight = pair_of(weights, i);
      x[i] *= weight.x;
      x[i + 1] *= weight.y;
      sum += x[i] + x[i + 1];
      along = fmaf(x[i], row.x[i], fmaf(x[i + 1], row.x[i + 1], along));
    }
    sum = sum_of_row(sum) * (1.0f / width);
    along = sum_of_row(along) * (1.0f / width);
#pragma unroll
    for (int i = 0; i < Elements; ++i) x[i] = inverse * (x[i] - fmaf(row.x[i], along, sum));
  }

  /// `rotations`: of all positions; `position`: column or row, whichever the lane's elements go by. All
  /// lanes.
  __device__ void rotate(const float* rotations, int position) { rotate_by<1>(rotations, position); }
  /// The other way, which is also how gradients pass through the rotation.
  __device__ void rotate_back(const float* rotations, int position) { rotate_by<-1>(rotations, position); }

  /// Rounded to bf16.
  __device__ stored_piece<Elements> rounded() const {
    stored_piece<Elements> to;
#pragma unroll
    for (int i = 0; i < Elements; i += 2) to.word[i / 2] = packed(x[i], x[i + 1]);
    return to;
  }

 private:
  /// Less the row's mean, divided by its standard deviation; returns what it was multiplied by. All lanes.
  __device__ float center_and_scale() {
    float sum = 0;
#pragma unroll
    for (const float element : x) sum += element;
    const float mean = sum_of_row(sum) * (1.0f / width);
    float squares = 0;
#pragma unroll
    for (float& element : x) {
      element -= mean;
      squares = fmaf(element, element, squares);
    }
    const float inverse = rsqrtf(fmaf(sum_of_row(squares), 1.0f / width, epsilon));
    multiply(inverse);
    return inverse;
  }

  /// Of the lane's numbers among 64, those at i.
  __device__ static float2 pair_of(const float* numbers, int i) {
    return __ldg(reinterpret_cast<const float2*>(numbers + first_element() + i));
  }

  template <int Direction>
  __device__ void rotate_by(const float* rotations, int position) {
    constexpr unsigned partner = angles / Elements;  // the lane that has elements i + 16 or i − 16
    const bool adds = (first_element() / angles % 2 == 1) == (Direction > 0);
    const auto* const turns =
        reinterpret_cast<const float4*>(rotations + 2 * (position * angles + first_element() % angles));
#pragma unroll
    for (int i = 0; i < Elements; i += 2) {
      // cos, sin, cos, sin. An ordinary load, not one of constant memory's kind: the compiler would keep what
      // all rows of a lane have in common in registers, which loads in flight need more.
      const float4 turn = turns[i / 2];
      const float other[2] = {__shfl_xor_sync(~0u, x[i], partner), __shfl_xor_sync(~0u, x[i + 1], partner)};
      x[i] = fmaf(x[i], turn.x, adds ? other[0] * turn.y : -other[0] * turn.y);
      x[i + 1] = fmaf(x[i + 1], turn.z, adds ? other[1] * turn.w : -other[1] * turn.w);
    }
  }

  __device__ static float sum_of_row(float part) {
#pragma unroll
    for (int far = 1; far < lanes; far *= 2) part += __shfl_xor_sync(~0u, part, far);
    return part;
  }
};

}  // namespace ablate::block_pooling
