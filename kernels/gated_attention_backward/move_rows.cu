// Moves rows of heads from contiguous memory to whole tiles per head, with zeros past the last row, and
// back. 16 bytes a thread. Only where a head's pooled rows are no multiple of 128: an odd
// number of 32 images, mostly, where rows are few. Should move: DRAM and L2 bytes, those of 13 tensors a
// 16th the size of Q.
#include "kernels/gated_attention_backward/move_rows.cuh"

namespace ablate::gated_attention_backward {

constexpr int moving_threads = 256, max_tensors = 5, chunks_of_row = width / 8;

/// Tensors of the same shape; a row of each head more or less.
struct row_moves {
  const uint4* from[max_tensors];
  uint4* to[max_tensors];
  const float* lse_from;  ///< or null
  float* lse_to;
  long long heads, rows_from, rows_to;
};

/// blockIdx.y: tensor.
__global__ __launch_bounds__(moving_threads) void move_rows(const __grid_constant__ row_moves m) {
  const long long i = blockIdx.x * static_cast<long long>(moving_threads) + threadIdx.x;
  if (i >= m.heads * m.rows_to * chunks_of_row) return;
  const long long row = i / chunks_of_row, head = row / m.rows_to, in_head = row % m.rows_to;
  const bool is_there = in_head < m.rows_from;
  const long long from = head * m.rows_from + in_head;
  m.to[blockIdx.y][i] = is_there ? m.from[blockIdx.y][from * chunks_of_row + i % chunks_of_row] : uint4{};
  if (m.lse_to != nullptr && blockIdx.y == 0 && i % chunks_of_row == 0)
    m.lse_to[row] = is_there ? m.lse_from[from] : 0;
}

void launch_moves(launcher& to, const row_moves& m, unsigned tensors) {
  launch(to, move_rows, dim3(blocks_for(m.heads * m.rows_to * chunks_of_row, moving_threads), tensors),
         dim3(moving_threads), 0, m);
}

void move_pooled_rows(launcher& to, const problem& p) {
  const gated_attention::problem& f = p.forward;
  const moved_rows moved = cut_moved_rows(p);
  row_moves m{.from = {},
              .to = {},
              .lse_from = f.compressed_lse,
              .lse_to = moved.lse,
              .heads = f.heads,
              .rows_from = p.forward.blocks(),
              .rows_to = p.padded_rows()};
  const std::uint16_t* const from[] = {f.pooled[0], f.pooled[1], f.pooled[2], f.compressed,
                                       p.compressed_gradient};
  for (int i = 0; i < max_tensors; ++i) {
    m.from[i] = reinterpret_cast<const uint4*>(from[i]);
    m.to[i] = reinterpret_cast<uint4*>(moved.of[static_cast<std::size_t>(i)]);
  }
  launch_moves(to, m, max_tensors);
}

void move_pooled_gradients_back(launcher& to, const problem& p) {
  const moved_rows moved = cut_moved_rows(p);
  row_moves m{.from = {},
              .to = {},
              .lse_from = nullptr,
              .lse_to = nullptr,
              .heads = p.forward.heads,
              .rows_from = p.padded_rows(),
              .rows_to = p.forward.blocks()};
  for (std::size_t i = 0; i < gradients; ++i) {
    m.from[i] = reinterpret_cast<const uint4*>(moved.gradient[i]);
    m.to[i] = reinterpret_cast<uint4*>(p.pooled_gradient[i]);
  }
  launch_moves(to, m, gradients);
}

}  // namespace ablate::gated_attention_backward
