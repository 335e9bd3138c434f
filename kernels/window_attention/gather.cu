// Attention for points in input order, as in PTv3, §4.2: rows of Q, K and V are gathered into window order,
// the core runs on contiguous windows, outputs and log-sum-exp are gathered back through the inverse.
// hopper_gathered: one thread per element, one launch per tensor, int64 indices, as indexing in PTv3's
// framework does it. hopper_gathered_vectorized: 16 bytes per thread and step, four steps in flight, int32
// indices, one launch before the core and one after. Each of the three is a switch: `vector`, `launches`,
// `index`. The core is the one that the other switches state; the faster it is, the more gathering weighs.
// Against the same core with `rows=contiguous`, should move: bytes of L2 and DRAM, by 8 tensors read or
// written; instructions, by vectors an eighth of those by elements.
#include "kernels/window_attention/gather.cuh"

#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"

namespace ablate::window_attention {

constexpr int gather_threads = 256, vectors_in_flight = 4;

/// `to`, `from` [tables][rows][width]: row r of each table from row index[r]. blockIdx: x elements of a
/// table, less than 2^32, y tables.
template <class Element, class Index>
__device__ inline void gather_element(const Element* from, Element* to, const Index* index, unsigned rows,
                                      unsigned width) {
  const unsigned i = blockIdx.x * gather_threads + threadIdx.x, row = i / width;
  if (row >= rows) return;
  const long long table = static_cast<long long>(blockIdx.y) * rows;
  to[table * width + i] = from[(table + index[row]) * width + i % width];
}

template <class Element>
__global__ __launch_bounds__(gather_threads) void gather_elements(const Element* from, Element* to,
                                                                  const std::int64_t* index, unsigned rows,
                                                                  unsigned width) {
  gather_element(from, to, index, rows, width);
}

template <class Element>
__global__ __launch_bounds__(gather_threads) void gather_elements_by_narrow_index(
    const Element* from, Element* to, const std::int32_t* index, unsigned rows, unsigned width) {
  gather_element(from, to, index, rows, width);
}

/// Tensors that move by the same index, [batches][tokens][vectors]; blockIdx.y picks one.
struct vector_tables {
  const uint4* from[3];
  uint4* to[3];
  unsigned batches, tokens, vectors;  ///< batches · tokens · vectors < 2^32
};

template <class Index>
__device__ inline void gather_vectors(const vector_tables& t, const uint4* from, uint4* to,
                                      const Index* index) {
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

__global__ __launch_bounds__(gather_threads) void gather_rows_by_vector_and_wide_index(
    const __grid_constant__ vector_tables t, const std::int64_t* index) {
  gather_vectors(t, t.from[blockIdx.y], t.to[blockIdx.y], index);
}

/// blockIdx.y: 0 rows of the first tensor, 1 log-sum-exp, [tables][tokens].
template <class Index>
__device__ inline void gather_vectors_and_lse(const vector_tables& t, const float* lse_from, float* lse_to,
                                              unsigned tables, const Index* index) {
  if (blockIdx.y == 0) return gather_vectors(t, t.from[0], t.to[0], index);
  const unsigned count = tables * t.tokens;
  for (unsigned i = blockIdx.x * gather_threads + threadIdx.x; i < count; i += gridDim.x * gather_threads) {
    const unsigned token = i % t.tokens;
    lse_to[i] = lse_from[i - token + index[token]];
  }
}

__global__ __launch_bounds__(gather_threads) void gather_rows_and_lse_by_vector(
    const __grid_constant__ vector_tables t, const float* lse_from, float* lse_to, unsigned tables,
    const std::int32_t* index) {
  gather_vectors_and_lse(t, lse_from, lse_to, tables, index);
}

__global__ __launch_bounds__(gather_threads) void gather_rows_and_lse_by_vector_and_wide_index(
    const __grid_constant__ vector_tables t, const float* lse_from, float* lse_to, unsigned tables,
    const std::int64_t* index) {
  gather_vectors_and_lse(t, lse_from, lse_to, tables, index);
}

namespace {

/// One launch: a thread an element.
template <class Element, class Index>
void gather_by_element(launcher& to, const Element* from, Element* there, const Index* index,
                       std::int64_t tables, std::int64_t rows, std::int64_t width) {
  const dim3 grid(blocks_for(rows * width, gather_threads), static_cast<unsigned>(tables));
  const auto each = [&](auto* kernel) {
    launch(to, kernel, grid, dim3(gather_threads), 0, from, there, index, static_cast<unsigned>(rows),
           static_cast<unsigned>(width));
  };
  if constexpr (sizeof(Index) == 8)
    each(gather_elements<Element>);
  else
    each(gather_elements_by_narrow_index<Element>);
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

/// One launch for all of them.
template <class Index>
void gather_by_vector(launcher& to, const problem& p, std::initializer_list<gathered_tensor> tensors,
                      std::int64_t row_elements, const Index* index) {
  vector_tables t = tables_of(p, row_elements);
  unsigned count = 0;
  for (const gathered_tensor& tensor : tensors) {
    t.from[count] = vectors_at(tensor.from);
    t.to[count++] = vectors_at(tensor.to);
  }
  const dim3 grid(blocks_of(t), count), block(gather_threads);
  if constexpr (sizeof(Index) == 8)
    launch(to, gather_rows_by_vector_and_wide_index, grid, block, 0, t, index);
  else
    launch(to, gather_rows_by_vector, grid, block, 0, t, index);
}

template <class Index>
void gather_with_lse(launcher& to, const problem& p, const gathered_tensor& tensor, const float* lse_from,
                     float* lse_to, const Index* index) {
  vector_tables t = tables_of(p, p.heads * p.width);
  t.from[0] = vectors_at(tensor.from);
  t.to[0] = vectors_at(tensor.to);
  const dim3 grid(blocks_of(t), 2), block(gather_threads);
  const auto tables = static_cast<unsigned>(p.batches * p.heads);
  if constexpr (sizeof(Index) == 8)
    launch(to, gather_rows_and_lse_by_vector_and_wide_index, grid, block, 0, t, lse_from, lse_to, tables,
           index);
  else
    launch(to, gather_rows_and_lse_by_vector, grid, block, 0, t, lse_from, lse_to, tables, index);
}

template <class Index>
void gather_in_form(launcher& to, const problem& p, const gather_form& form,
                    std::initializer_list<gathered_tensor> tensors, std::int64_t row_elements,
                    const Index* index) {
  if (form.joins_tensors) return gather_by_vector(to, p, tensors, row_elements, index);
  for (const gathered_tensor& tensor : tensors) {
    if (form.by_vectors)
      gather_by_vector(to, p, {tensor}, row_elements, index);
    else
      gather_by_element(to, tensor.from, tensor.to, index, p.batches, p.tokens, row_elements);
  }
}

template <class Index>
void gather_outputs_in_form(launcher& to, const problem& p, const moved_rows& moved, const gather_form& form,
                            const Index* token_of_row) {
  const gathered_tensor out = {moved.out, p.out};
  if (form.joins_tensors) return gather_with_lse(to, p, out, moved.lse, p.lse, token_of_row);
  gather_in_form(to, p, form, {out}, p.heads * p.width, token_of_row);
  gather_by_element(to, static_cast<const float*>(moved.lse), p.lse, token_of_row, p.batches * p.heads,
                    p.tokens, 1);
}

/// Calls `then` with Q, K and V, whose rows are of this many elements: one tensor if they are packed.
template <class Then>
void with_qkv(const problem& p, const moved_rows& moved, Then then) {
  const problem there = in_moved_rows(p, moved);
  const gathered_tensor q = {p.q, const_cast<std::uint16_t*>(there.q)},
                        k = {p.k, const_cast<std::uint16_t*>(there.k)},
                        v = {p.v, const_cast<std::uint16_t*>(there.v)};
  const auto call = [&](std::initializer_list<gathered_tensor> tensors) { then(tensors, p.qkv_stride()); };
  if (p.layout == qkv_layout::packed)
    call({q});
  else
    call({q, k, v});
}

}  // namespace

gather_form gather_form_of(const switches& s) {
  return {.by_wide_index = s.word("index") == "int64",
          .by_vectors = s.word("vector") == "16B",
          .joins_tensors = s.word("launches") == "joined"};
}

void gather_rows(launcher& to, const problem& p, std::initializer_list<gathered_tensor> tensors,
                 std::int64_t row_elements, const std::int32_t* index) {
  gather_by_vector(to, p, tensors, row_elements, index);
}

void gather_rows_and_lse(launcher& to, const problem& p, const gathered_tensor& tensor, const float* lse_from,
                         float* lse_to, const std::int32_t* index) {
  gather_with_lse(to, p, tensor, lse_from, lse_to, index);
}

void gather_qkv(launcher& to, const problem& p, const moved_rows& moved, const std::int32_t* row_of_token) {
  with_qkv(p, moved, [&](std::initializer_list<gathered_tensor> tensors, std::int64_t row_elements) {
    gather_rows(to, p, tensors, row_elements, row_of_token);
  });
}

void gather_outputs(launcher& to, const problem& p, const moved_rows& moved,
                    const std::int32_t* token_of_row) {
  gather_rows_and_lse(to, p, {moved.out, p.out}, moved.lse, p.lse, token_of_row);
}

void gather_to_windows(launcher& to, const problem& p, const gather_form& form,
                       std::initializer_list<gathered_tensor> tensors, std::int64_t row_elements) {
  if (form.by_wide_index)
    gather_in_form(to, p, form, tensors, row_elements, p.wide.row_of_token);
  else
    gather_in_form(to, p, form, tensors, row_elements, p.narrow.row_of_token);
}

void gather_back(launcher& to, const problem& p, const gather_form& form,
                 std::initializer_list<gathered_tensor> tensors, std::int64_t row_elements) {
  if (form.by_wide_index)
    gather_in_form(to, p, form, tensors, row_elements, p.wide.token_of_row);
  else
    gather_in_form(to, p, form, tensors, row_elements, p.narrow.token_of_row);
}

void hopper_gathered(launcher& to, const problem& p, const switches& s) {
  if (!p.does(phase::attend)) return;
  const moved_rows moved(p);
  const gather_form form = gather_form_of(s);
  with_qkv(p, moved, [&](std::initializer_list<gathered_tensor> tensors, std::int64_t row_elements) {
    gather_to_windows(to, p, form, tensors, row_elements);
  });
  attend_as_stated(to, in_moved_rows(p, moved), s);
  if (form.by_wide_index)
    gather_outputs_in_form(to, p, moved, form, p.wide.token_of_row);
  else
    gather_outputs_in_form(to, p, moved, form, p.narrow.token_of_row);
}

}  // namespace ablate::window_attention
