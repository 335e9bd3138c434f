// Attention for points in input order, as in PTv3, §4.2: rows of Q, K and V are gathered into window order,
// the core runs on contiguous windows, outputs and log-sum-exp are gathered back through the inverse.
// hopper_gathered: one thread per element, one launch per tensor, int64 indices, as indexing in PTv3's
// framework does it. hopper_gathered_vectorized: 16 bytes per thread and step, four steps in flight, int32
// indices, one launch before the core and one after. Against hopper_contiguous, both should move: bytes of L2
// and DRAM, by 8 tensors read or written; instructions, the vectorized one by an eighth of the other's.
#include "kernels/window_attention/gather.cuh"

#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

constexpr int gather_threads = 256, vectors_in_flight = 4;

/// `to`, `from` [tables][rows][width]: row r of each table from row index[r]. blockIdx: x elements of a
/// table, less than 2^32, y tables.
template <class Element>
__global__ __launch_bounds__(gather_threads) void gather_elements(const Element* from, Element* to,
                                                                  const std::int64_t* index, unsigned rows,
                                                                  unsigned width) {
  const unsigned i = blockIdx.x * gather_threads + threadIdx.x, row = i / width;
  if (row >= rows) return;
  const long long table = static_cast<long long>(blockIdx.y) * rows;
  to[table * width + i] = from[(table + index[row]) * width + i % width];
}

/// Tensors that move by the same index, [batches][tokens][vectors]; blockIdx.y picks one.
struct vector_tables {
  const uint4* from[3];
  uint4* to[3];
  unsigned batches, tokens, vectors;  ///< batches · tokens · vectors < 2^32
};

__device__ inline void gather_vectors(const vector_tables& t, const uint4* from, uint4* to,
                                      const std::int32_t* index) {
  const unsigned count = t.batches * t.tokens * t.vectors;
  const unsigned first = blockIdx.x * (gather_threads * vectors_in_flight) + threadIdx.x;
  uint4 moved[vectors_in_flight];
#pragma unroll
  for (int j = 0; j < vectors_in_flight; ++j) {
    const unsigned i = first + j * gather_threads;
    if (i >= count) continue;
    const unsigned row = i / t.vectors, token = row % t.tokens;
    moved[j] = from[static_cast<long long>(row - token + index[token]) * t.vectors + i % t.vectors];
  }
#pragma unroll
  for (int j = 0; j < vectors_in_flight; ++j) {
    const unsigned i = first + j * gather_threads;
    if (i < count) to[i] = moved[j];
  }
}

__global__ __launch_bounds__(gather_threads) void gather_rows_by_vector(
    const __grid_constant__ vector_tables t, const std::int32_t* index) {
  gather_vectors(t, t.from[blockIdx.y], t.to[blockIdx.y], index);
}

/// blockIdx.y: 0 rows of the first tensor, 1 log-sum-exp, [tables][tokens].
__global__ __launch_bounds__(gather_threads) void gather_rows_and_lse_by_vector(
    const __grid_constant__ vector_tables t, const float* lse_from, float* lse_to, unsigned tables,
    const std::int32_t* index) {
  if (blockIdx.y == 0) return gather_vectors(t, t.from[0], t.to[0], index);
  const unsigned count = tables * t.tokens;
  for (unsigned i = blockIdx.x * gather_threads + threadIdx.x; i < count; i += gridDim.x * gather_threads) {
    const unsigned token = i % t.tokens;
    lse_to[i] = lse_from[i - token + index[token]];
  }
}

namespace {

template <class Element>
void gather_by_element(launcher& to, const Element* from, Element* there, const std::int64_t* index,
                       std::int64_t tables, std::int64_t rows, std::int64_t width) {
  launch(to, gather_elements<Element>,
         dim3(blocks_for(rows * width, gather_threads), static_cast<unsigned>(tables)), dim3(gather_threads),
         0, from, there, index, static_cast<unsigned>(rows), static_cast<unsigned>(width));
}

constexpr std::int64_t elements_of_vector = sizeof(uint4) / sizeof(std::uint16_t);

vector_tables tables_of(const problem& p, std::int64_t row_elements) {
  return {{},
          {},
          static_cast<unsigned>(p.batches),
          static_cast<unsigned>(p.tokens),
          static_cast<unsigned>(row_elements / elements_of_vector)};
}

unsigned blocks_of(const vector_tables& t) {
  return blocks_for(static_cast<long long>(t.batches) * t.tokens * t.vectors,
                    gather_threads * vectors_in_flight);
}

const uint4* vectors_at(const std::uint16_t* elements) { return reinterpret_cast<const uint4*>(elements); }
uint4* vectors_at(std::uint16_t* elements) { return reinterpret_cast<uint4*>(elements); }

}  // namespace

void gather_rows(launcher& to, const problem& p, std::initializer_list<gathered_tensor> tensors,
                 std::int64_t row_elements, const std::int32_t* index) {
  vector_tables t = tables_of(p, row_elements);
  unsigned count = 0;
  for (const gathered_tensor& tensor : tensors) {
    t.from[count] = vectors_at(tensor.from);
    t.to[count++] = vectors_at(tensor.to);
  }
  launch(to, gather_rows_by_vector, dim3(blocks_of(t), count), dim3(gather_threads), 0, t, index);
}

void gather_rows_and_lse(launcher& to, const problem& p, const gathered_tensor& tensor, const float* lse_from,
                         float* lse_to, const std::int32_t* index) {
  vector_tables t = tables_of(p, p.heads * p.width);
  t.from[0] = vectors_at(tensor.from);
  t.to[0] = vectors_at(tensor.to);
  launch(to, gather_rows_and_lse_by_vector, dim3(blocks_of(t), 2), dim3(gather_threads), 0, t, lse_from,
         lse_to, static_cast<unsigned>(p.batches * p.heads), index);
}

void gather_rows_by_element(launcher& to, const problem& p, const gathered_tensor& tensor,
                            std::int64_t row_elements, const std::int64_t* index) {
  gather_by_element(to, tensor.from, tensor.to, index, p.batches, p.tokens, row_elements);
}

void gather_qkv(launcher& to, const problem& p, const moved_rows& moved, const std::int32_t* row_of_token) {
  const problem there = in_moved_rows(p, moved);
  const gathered_tensor q = {p.q, const_cast<std::uint16_t*>(there.q)},
                        k = {p.k, const_cast<std::uint16_t*>(there.k)},
                        v = {p.v, const_cast<std::uint16_t*>(there.v)};
  if (p.layout == qkv_layout::packed)
    gather_rows(to, p, {q}, p.qkv_stride(), row_of_token);
  else
    gather_rows(to, p, {q, k, v}, p.qkv_stride(), row_of_token);
}

void gather_outputs(launcher& to, const problem& p, const moved_rows& moved,
                    const std::int32_t* token_of_row) {
  gather_rows_and_lse(to, p, {moved.out, p.out}, moved.lse, p.lse, token_of_row);
}

void hopper_gathered(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    const moved_rows moved(p);
    const problem there = in_moved_rows(p, moved);
    const auto gather = [&](const std::uint16_t* from, const std::uint16_t* at) {
      gather_rows_by_element(to, p, {from, const_cast<std::uint16_t*>(at)}, p.qkv_stride(),
                             p.wide.row_of_token);
    };
    gather(p.q, there.q);
    if (p.layout == qkv_layout::split) {
      gather(p.k, there.k);
      gather(p.v, there.v);
    }
    attend_online_on_hopper(to, there);
    const std::int64_t* const back = p.wide.token_of_row;
    gather_rows_by_element(to, p, {moved.out, p.out}, p.heads * p.width, back);
    gather_by_element<float>(to, moved.lse, p.lse, back, p.batches * p.heads, p.tokens, 1);
  }
}

void hopper_gathered_vectorized(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    const moved_rows moved(p);
    gather_qkv(to, p, moved, p.narrow.row_of_token);
    attend_online_on_hopper(to, in_moved_rows(p, moved));
    gather_outputs(to, p, moved, p.narrow.token_of_row);
  }
}

}  // namespace ablate::window_attention
