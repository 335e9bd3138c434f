// Comparisons begun and inputs filled. Nothing here is measured.
#include "oracles/common/dense/plain_product.cuh"

namespace ablate::dense_layers {

constexpr int fill_threads = 256;

__global__ void clear_comparisons(comparison* found) { found[threadIdx.x] = {}; }

void clear(launcher& to, comparison* found, int count) {
  launch(to, clear_comparisons, dim3(1), dim3(static_cast<unsigned>(count)), 0, found);
}

__global__ __launch_bounds__(fill_threads) void make_bf16_elements(std::uint64_t seed, tensor of,
                                                                   std::uint16_t* to, long long count,
                                                                   float spread) {
  for (long long i = blockIdx.x * static_cast<long long>(fill_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(fill_threads))
    to[i] = generated_bf16(seed, of, i, spread);
}

__global__ __launch_bounds__(fill_threads) void make_fp32_elements(std::uint64_t seed, tensor of, float* to,
                                                                   long long count, float spread,
                                                                   float center) {
  for (long long i = blockIdx.x * static_cast<long long>(fill_threads) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<long long>(fill_threads))
    to[i] = generated_number(seed, of, i, spread, center);
}

dim3 fill_grid(const launcher& to) { return dim3(16 * static_cast<unsigned>(to.device().multiprocessors)); }

void make(launcher& to, std::uint64_t seed, tensor of, const std::uint16_t* at, long long count,
          float spread) {
  if (count > 0)
    launch(to, make_bf16_elements, fill_grid(to), dim3(fill_threads), 0, seed, of,
           const_cast<std::uint16_t*>(at), count, spread);
}

void make(launcher& to, std::uint64_t seed, tensor of, const float* at, long long count, float spread,
          float center) {
  if (count > 0)
    launch(to, make_fp32_elements, fill_grid(to), dim3(fill_threads), 0, seed, of, const_cast<float*>(at),
           count, spread, center);
}

__global__ __launch_bounds__(plain_threads) void moments_of_rows(const std::uint16_t* x, long long rows,
                                                                 int channels, double* to) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const long long row = (blockIdx.x * static_cast<long long>(plain_threads) + threadIdx.x) / 32;
  if (row >= rows) return;
  double mean = 0, variance = 0;
  for (int d = lane; d < channels; d += 32) mean += number_at(x, row * channels + d) / channels;
  mean = sum_of_warp(mean);
  for (int d = lane; d < channels; d += 32) {
    const double apart = number_at(x, row * channels + d) - mean;
    variance += apart * apart / channels;
  }
  variance = sum_of_warp(variance);
  if (lane != 0) return;
  to[2 * row] = mean;
  to[2 * row + 1] = 1 / sqrt(variance + 1e-5);
}

void plain_moments(launcher& to, const std::uint16_t* x, long long rows, int channels, double* moments) {
  launch(to, moments_of_rows, dim3(blocks_for(32 * rows, plain_threads)), dim3(plain_threads), 0, x, rows,
         channels, moments);
}

}  // namespace ablate::dense_layers
