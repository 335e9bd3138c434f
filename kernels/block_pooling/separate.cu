// Pooling in the published steps, each a launch that goes through memory: means of q, of k, of v; the norm of
// q̄, of k̄; the rotation of q̄, of k̄ (PyTorch's mean, LayerNorm and RoPE2D, one after the other). Means are
// stored in fp32 before the norm; its output is stored in bf16 and rotated in place. With all tokens written,
// they pass through the same steps, v through a copy.
// Should move, beside the fused forms: launches, and DRAM bytes where tokens are written (10 more an element
// of q and k instead of 4).
#include "kernels/block_pooling/launches.h"
#include "kernels/block_pooling/view.cuh"

namespace ablate::block_pooling {

/// Rows that the steps go through.
enum class step_rows { blocks, tokens };

template <step_rows Rows>
struct stepped_rows {
  static constexpr bool are_tokens = Rows == step_rows::tokens;
  ABLATE_ON_BOTH static int count(const view& v) { return are_tokens ? v.tokens : v.blocks; }
  __device__ static unsigned char* row(const view& v, int which, const row_place& at) {
    return are_tokens ? v.token_row(which, at) : v.pooled_row(which, at);
  }
  __device__ static image_place place(const view& v, int row) {
    return are_tokens ? view::patch(row) : v.block_place(row);
  }
};

/// The row of a lane's group; those past the last repeat it and store nothing.
template <class Piece, step_rows Rows>
struct stepped_lane {
  bool is_there;
  row_place at;

  __device__ explicit stepped_lane(const view& v) {
    const int rows = stepped_rows<Rows>::count(v), count = v.heads * rows;
    const int index = static_cast<int>(blockIdx.x) * (threads_of_block / Piece::lanes) +
                      static_cast<int>(threadIdx.x) / Piece::lanes;
    is_there = index < count;
    at = v.place(is_there ? index : count - 1, rows);
  }
};

template <int Elements, step_rows Rows>
__global__ __launch_bounds__(threads_of_block) void normalize_rows(const __grid_constant__ view v,
                                                                   int which) {
  using piece = row_piece<Elements>;
  const stepped_lane<piece, Rows> lane(v);
  piece row;
  if constexpr (Rows == step_rows::tokens) {
    stored_piece<Elements> stored;
    stored.load(v.input_row(which, lane.at.head, lane.at.row));
    row.add(stored);
  } else {
    const float* const mean = v.mean_row(which, lane.at) + piece::first_element();
#pragma unroll
    for (int i = 0; i < Elements; ++i) row.x[i] = mean[i];
  }
  row.normalize(v.norm_of(which));
  if (lane.is_there) row.rounded().store(stepped_rows<Rows>::row(v, which, lane.at));
}

template <int Elements, step_rows Rows>
__global__ __launch_bounds__(threads_of_block) void rotate_rows(const __grid_constant__ view v, int which) {
  using piece = row_piece<Elements>;
  const stepped_lane<piece, Rows> lane(v);
  unsigned char* const at = stepped_rows<Rows>::row(v, which, lane.at);
  stored_piece<Elements> stored;
  stored.load_written(at);
  piece row(stored);
  row.rotate(v.rotations, stepped_rows<Rows>::place(v, lane.at.row).template of_lane<piece>());
  if (lane.is_there) row.rounded().store(at);
}

template <int Elements>
__global__ __launch_bounds__(threads_of_block) void copy_rows(const __grid_constant__ view v, int which) {
  const stepped_lane<row_piece<Elements>, step_rows::tokens> lane(v);
  if (!lane.is_there) return;
  stored_piece<Elements> stored;
  stored.load(v.input_row(which, lane.at.head, lane.at.row));
  stored.store(v.token_row(which, lane.at));
}

template <int Elements, step_rows Rows>
void normalize_and_rotate(launcher& to, const view& v) {
  const long long rows = static_cast<long long>(v.heads) * stepped_rows<Rows>::count(v);
  const dim3 grid(blocks_for(rows, threads_of_block / row_piece<Elements>::lanes)), block(threads_of_block);
  for (int which = 0; which < 2; ++which)
    launch(to, normalize_rows<Elements, Rows>, grid, block, 0, v, which);
  for (int which = 0; which < 2; ++which) launch(to, rotate_rows<Elements, Rows>, grid, block, 0, v, which);
}

template <int Elements>
void run_steps(launcher& to, const problem& p, const view& v) {
  constexpr int v_of_qkv = 2, load_bytes = 2 * Elements;
  if (p.writes_tokens) {
    normalize_and_rotate<Elements, step_rows::tokens>(to, v);
    const long long rows = static_cast<long long>(v.heads) * v.tokens;
    launch(to, copy_rows<Elements>, dim3(blocks_for(rows, threads_of_block / row_piece<Elements>::lanes)),
           dim3(threads_of_block), 0, v, v_of_qkv);
  }
  const bool is_pre = p.mode == mode::pre;
  const view pooled = p.writes_tokens && !is_pre ? v.of_written_tokens() : v;
  for (int which = 0; which < tensors; ++which)
    pool_tensor(to, pooled, which, load_bytes,
                is_pre && which != v_of_qkv ? product::fp32_means : product::means);
  if (is_pre) normalize_and_rotate<Elements, step_rows::blocks>(to, v);
}

void separate(launcher& to, const problem& p, const switches& s) {
  const view v(p, s.word("neighbors") == "heads");
  (s.integer("load_bytes") == 4 ? run_steps<2> : run_steps<8>)(to, p, v);
}

}  // namespace ablate::block_pooling
