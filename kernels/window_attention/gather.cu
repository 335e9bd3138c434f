// Attention where points stand in input order (specification: flash3d §3.3 and §3.5): rows of Q, K and V are
// gathered into the order of the windows, the core runs on contiguous windows, outputs and log-sum-exp are
// gathered back through the inverse. hopper_gathered: a thread an element, a launch a tensor, indices of
// int64, as indexing of PTv3's framework does it. hopper_gathered_vectorized: 16 bytes a thread and step,
// four steps under way at once, indices of int32, one launch before the core and one behind it. Against
// hopper_contiguous, both should move: bytes of L2 and DRAM, by 8 tensors read or written; instructions, the
// vectorized one by an eighth of the other's.
#include "kernels/window_attention/gather.cuh"

#include "kernels/window_attention/hopper_forward.h"

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

__global__ __launch_bounds__(gather_threads) void gather_inputs_by_vector(
    const __grid_constant__ vector_tables t, const std::int32_t* index) {
  gather_vectors(t, t.from[blockIdx.y], t.to[blockIdx.y], index);
}

/// blockIdx.y: 0 outputs, 1 log-sum-exp, [tables][tokens].
__global__ __launch_bounds__(gather_threads) void gather_outputs_by_vector(
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

void gather_qkv(launcher& to, const problem& p, const moved_rows& moved, const std::int32_t* row_of_token) {
  const problem there = in_moved_rows(p, moved);
  vector_tables t = tables_of(p, p.qkv_stride());
  const std::uint16_t *const from[] = {p.q, p.k, p.v}, *const at[] = {there.q, there.k, there.v};
  for (int i = 0; i < 3; ++i) {
    t.from[i] = vectors_at(from[i]);
    t.to[i] = vectors_at(const_cast<std::uint16_t*>(at[i]));
  }
  const unsigned tensors = p.layout == qkv_layout::packed ? 1 : 3;
  launch(to, gather_inputs_by_vector, dim3(blocks_of(t), tensors), dim3(gather_threads), 0, t, row_of_token);
}

void gather_outputs(launcher& to, const problem& p, const moved_rows& moved,
                    const std::int32_t* token_of_row) {
  vector_tables t = tables_of(p, p.heads * p.width);
  t.from[0] = vectors_at(static_cast<const std::uint16_t*>(moved.out));
  t.to[0] = vectors_at(p.out);
  launch(to, gather_outputs_by_vector, dim3(blocks_of(t), 2), dim3(gather_threads), 0, t, moved.lse, p.lse,
         static_cast<unsigned>(p.batches * p.heads), token_of_row);
}

void hopper_gathered(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    const moved_rows moved(p);
    const problem there = in_moved_rows(p, moved);
    const auto gather = [&](const std::uint16_t* from, const std::uint16_t* at) {
      gather_by_element(to, from, const_cast<std::uint16_t*>(at), p.wide.row_of_token, p.batches, p.tokens,
                        p.qkv_stride());
    };
    gather(p.q, there.q);
    if (p.layout == qkv_layout::split) {
      gather(p.k, there.k);
      gather(p.v, there.v);
    }
    attend_online_on_hopper(to, there);
    const std::int64_t* const back = p.wide.token_of_row;
    gather_by_element<std::uint16_t>(to, moved.out, p.out, back, p.batches, p.tokens, p.heads * p.width);
    gather_by_element<float>(to, moved.lse, p.lse, back, p.batches * p.heads, p.tokens, 1);
  }
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

void hopper_gathered_vectorized(launcher& to, const problem& p, const switches&) {
  if (p.does(phase::attend)) {
    const moved_rows moved(p);
    gather_qkv(to, p, moved, p.narrow.row_of_token);
    attend_online_on_hopper(to, in_moved_rows(p, moved));
    gather_outputs(to, p, moved, p.narrow.token_of_row);
  }
  if (p.does(phase::read_back)) compare_with_plain(to, p);
}

}  // namespace ablate::window_attention
