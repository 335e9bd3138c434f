// A pass's own steps on rows, 16 bytes of a row per thread.
//   embed: y = W · (x, y, z) + b of each row, in fp32 from fp16 meters, rounded once; padding is at the
//   origin. restore: out[point of the row] = row, which scatters whole rows.
// Three inputs per row are too few for tensor cores: the launch is limited by its writes. Should move: DRAM
// write throughput, to what a copy reaches.
#include <cuda_fp16.h>

#include "kernels/common/bf16.h"
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/network/parts.h"
#include "kernels/network/run.h"

namespace ablate::backbone {

constexpr int element_threads = 256;

struct embed_view {
  const __half* coordinates;    ///< [real][3]
  const std::uint16_t* weight;  ///< [channels][3]
  const float* bias;
  std::uint16_t* out;
  long long real, chunks;
  int chunks_of_row;
};

__global__ __launch_bounds__(element_threads) void embed_coordinates(embed_view v) {
  const long long at = blockIdx.x * static_cast<long long>(element_threads) + threadIdx.x;
  if (at >= v.chunks) return;
  const long long row = at / v.chunks_of_row;
  const int column = static_cast<int>(at % v.chunks_of_row) * chunk;
  float y[chunk];
  load_parameters(y, v.bias + column);
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const float c = row < v.real ? __half2float(v.coordinates[3 * row + axis]) : 0.0f;
#pragma unroll
    for (int i = 0; i < chunk; ++i) y[i] = fmaf(c, float_of_bf16(v.weight[3 * (column + i) + axis]), y[i]);
  }
  store_chunk(v.out, at, ablate::pack(y));
}

void embed_rows(launcher& to, const problem& p, const network& n, const step& s) {
  const level& of = n.levels.front();
  embed_view v{};
  v.coordinates = reinterpret_cast<const __half*>(coordinates_of(p, n, 0));
  v.weight = p.matrices == nullptr ? nullptr : p.matrices + n.place_at(s.layer).matrix;
  v.bias = p.vectors == nullptr ? nullptr : p.vectors + n.place_at(s.layer).vectors;
  v.out = rows_at(p, n, s.out);
  v.real = of.real;
  v.chunks_of_row = s.channels / chunk;
  v.chunks = of.rows * v.chunks_of_row;
  launch(to, embed_coordinates, dim3(blocks_for(v.chunks, element_threads)), dim3(element_threads), 0, v);
}

__global__ __launch_bounds__(element_threads) void scatter_rows(const std::uint16_t* rows,
                                                                const std::uint32_t* source,
                                                                std::uint16_t* out, long long chunks,
                                                                int chunks_of_row) {
  const long long at = blockIdx.x * static_cast<long long>(element_threads) + threadIdx.x;
  if (at >= chunks) return;
  const long long row = at / chunks_of_row;
  store_chunk(out, static_cast<long long>(source[row]) * chunks_of_row + at % chunks_of_row,
              load_chunk(rows, at));
}

void restore_rows(launcher& to, const problem& p, const network& n, const step& s) {
  const int chunks_of_row = s.channels / chunk;
  const long long chunks = n.points() * chunks_of_row;
  launch(to, scatter_rows, dim3(blocks_for(chunks, element_threads)), dim3(element_threads), 0,
         rows_at(p, n, s.in), source_of(p, n), rows_at(p, n, s.out), chunks, chunks_of_row);
}

}  // namespace ablate::backbone
