// smem_register_block with twice the outputs: 128×256 per block, 8×16 per thread. For each step of k a thread
// reads 24 floats with six 16-byte loads and does 128 multiply-adds with them, instead of reading 16 for 64;
// addresses, copies and barriers are shared among twice as many as well. The price is one block of eight
// warps a multiprocessor, two for each scheduler, so nothing may stop them together:
// - three stages, so that a slab has been under way for a whole slab's time when it is needed;
// - a slab is brought piece by piece, one cp.async between the multiplications of each step;
// - the barrier is before a slab's last step, whose multiplications cover the first loads from the
//   next one.
// A is transposed on the way, float by float, B copied 16 bytes at a time where its rows are aligned. Outside
// of the matrices cp.async writes zeros; where tiles and slabs are whole, nothing is compared. A thread's
// outputs are 2×4 squares of 4×4, 32 rows and 16 columns apart; a warp's lanes go 8 down and 4 across, in a
// zigzag as in register_block.cuh. Should move against smem_register_block: instructions per multiply-add,
// down; the fp32 multiply-add pipe, up.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/matmul/launches.h"
#include "kernels/matmul/slab_copy.cuh"
#include "kernels/matmul/view.cuh"

namespace ablate::matmul {

/// How sizes fit: no tile and no slab reaches beyond the matrices; rows of B and C begin at multiples of 16
/// bytes; or neither.
enum class matrix_fit { whole_tiles, vectors, floats };

namespace {

constexpr int wide_rows = 128, wide_columns = 256, wide_threads = 256;
constexpr int wide_slab = 16, wide_stages = 3;
constexpr int side = 4;                                    // of a square
constexpr int rows_of_thread = 8, columns_of_thread = 16;  // outputs
constexpr int down = 32, across = 16;                      // from one square to the next
constexpr int warp_side = 64;                              // a warp's outputs are a square of them
constexpr int lanes_of_steps = 8;                          // of a warp that copies A: 8 steps × 4 rows
constexpr int rows_at_once = wide_threads / lanes_of_steps;

struct wide_stage {
  float a[wide_slab][wide_rows + 4];  ///< [step][row]: rows 4 banks apart, for the transposing copies
  float b[wide_slab][wide_columns];   ///< [step][column]
};

struct wide_fragment {
  float a[rows_of_thread], b[columns_of_thread];

  __device__ void load(const wide_stage& from, int step, int row, int column) {
#pragma unroll
    for (int i = 0; i < rows_of_thread; i += side) load_four(a + i, &from.a[step][row + i / side * down]);
#pragma unroll
    for (int j = 0; j < columns_of_thread; j += side)
      load_four(b + j, &from.b[step][column + j / side * across]);
  }

 private:
  __device__ static void load_four(float* to, const float* from) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
  }
};

/// What one thread copies of each slab, in pieces, which have to be started in order, slab after slab.
template <matrix_fit Fit>
class slab_copies {
  static constexpr bool is_whole = Fit == matrix_fit::whole_tiles;
  static constexpr int floats = Fit == matrix_fit::floats ? 1 : 4;  ///< of B in a copy
  static constexpr int pieces_of_row = wide_slab / lanes_of_steps;
  static constexpr int pieces_of_a = wide_rows / rows_at_once * pieces_of_row;
  static constexpr int copies_of_step = wide_columns / floats;  // of B, by all threads
  static constexpr int steps_at_once = wide_threads / copies_of_step;
  static constexpr int pieces_of_b = wide_slab / steps_at_once;

 public:
  static constexpr int pieces = pieces_of_a + pieces_of_b;

  __device__ slab_copies(const view& v, int tile_row, int tile_column)
      : step_(static_cast<int>(threadIdx.x) % lanes_of_steps),
        row_(static_cast<int>(threadIdx.x) / lanes_of_steps),
        step_of_b_(static_cast<int>(threadIdx.x) / copies_of_step),
        column_(static_cast<int>(threadIdx.x) % copies_of_step * floats),
        rows_left_(v.m - tile_row - row_),
        steps_left_(v.k),
        is_in_row_(tile_column + column_ < v.n),
        rows_of_a_(1ll * rows_at_once * v.k),
        to_next_slab_(wide_slab - 1ll * wide_rows * v.k),
        steps_of_b_(1ll * steps_at_once * v.n),
        a_(v.a + static_cast<long long>(tile_row + row_) * v.k + step_),
        b_(v.b + static_cast<long long>(step_of_b_) * v.n + tile_column + column_) {}

  __device__ void start(int piece, wide_stage& to) {
    if (piece < pieces_of_a) {
      const int row = piece / pieces_of_row * rows_at_once, step = piece % pieces_of_row * lanes_of_steps;
      const bool is_there = is_whole || (row < rows_left_ && step_ + step < steps_left_);
      copy_or_zero<4>(&to.a[step_ + step][row_ + row], a_ + step, is_there);
      if (piece % pieces_of_row == pieces_of_row - 1) a_ += rows_of_a_;
      if (piece == pieces_of_a - 1) a_ += to_next_slab_;
    } else {
      const int step = (piece - pieces_of_a) * steps_at_once;
      const bool is_there = is_whole || (is_in_row_ && step_of_b_ + step < steps_left_);
      copy_or_zero<4 * floats>(&to.b[step_of_b_ + step][column_], b_, is_there);
      b_ += steps_of_b_;
    }
    if (piece == pieces - 1) steps_left_ -= wide_slab;
  }

 private:
  const int step_, row_, step_of_b_, column_, rows_left_;
  int steps_left_;  ///< from the current slab on
  const bool is_in_row_;
  const long long rows_of_a_, to_next_slab_, steps_of_b_;
  const float *a_, *b_;
};

/// Outputs from (row, column) on. Vectors take neighboring registers; adding 0 frees the sums themselves from
/// that, which can then be in other banks than their operands.
template <matrix_fit Fit>
__device__ void store_outputs(const view& v, const float (&sum)[rows_of_thread][columns_of_thread], int row,
                              int column) {
#pragma unroll
  for (int i = 0; i < rows_of_thread; ++i) {
    const int at_row = row + i / side * down + i % side;
    if (at_row >= v.m) continue;
    float* const to = v.c + static_cast<long long>(at_row) * v.n;
#pragma unroll
    for (int j = 0; j < columns_of_thread; j += side) {
      const int at = column + j / side * across;
      if constexpr (Fit != matrix_fit::floats) {
        if (at < v.n)
          *reinterpret_cast<float4*>(to + at) =
              make_float4(sum[i][j] + 0.0f, sum[i][j + 1] + 0.0f, sum[i][j + 2] + 0.0f, sum[i][j + 3] + 0.0f);
      } else {
#pragma unroll
        for (int e = 0; e < side; ++e)
          if (at + e < v.n) to[at + e] = sum[i][j + e];
      }
    }
  }
}

}  // namespace

template <matrix_fit Fit>
__global__ __launch_bounds__(wide_threads, 1) void multiply_wide_tiles(view v) {
  extern __shared__ __align__(16) unsigned char shared[];
  wide_stage* const stages = reinterpret_cast<wide_stage*>(shared);
  const int tile_row = static_cast<int>(blockIdx.y) * wide_rows;
  const int tile_column = static_cast<int>(blockIdx.x) * wide_columns;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / 4 * warp_side + (lane / 16 * 4 + lane / 8 % 2 * 2 + lane % 2) * side;
  const int column = warp % 4 * warp_side + lane / 2 % 4 * side;

  using copies = slab_copies<Fit>;
  constexpr int pieces_of_step = (copies::pieces + wide_slab - 2) / (wide_slab - 1);
  copies copy(v, tile_row, tile_column);
  const int slabs = (v.k + wide_slab - 1) / wide_slab;
  for (int slab = 0; slab < wide_stages - 1; ++slab) {
    if (slab < slabs)
      for (int piece = 0; piece < copies::pieces; ++piece) copy.start(piece, stages[slab]);
    mma::copy_commit();  // even if empty, so that each slab has its own group
  }
  mma::copy_wait<wide_stages - 2>();
  __syncthreads();

  float sum[rows_of_thread][columns_of_thread] = {};
  wide_fragment fragments[2];
  fragments[0].load(stages[0], 0, row, column);
  int here = 0;
  for (int slab = 0; slab < slabs; ++slab) {
    const int next = here + 1 == wide_stages ? 0 : here + 1;
    const int free = next + 1 == wide_stages ? 0 : next + 1;
    const bool copies_one = slab + wide_stages - 1 < slabs;
#pragma unroll
    for (int step = 0; step < wide_slab; ++step) {
      wide_fragment& coming = fragments[(step + 1) % 2];
      if (step + 1 < wide_slab) {
        coming.load(stages[here], step + 1, row, column);
        if (copies_one)
#pragma unroll
          for (int piece = step * pieces_of_step; piece < (step + 1) * pieces_of_step; ++piece)
            if (piece < copies::pieces) copy.start(piece, stages[free]);
      } else {
        mma::copy_commit();
        mma::copy_wait<wide_stages - 2>();
        __syncthreads();  // the next slab is visible to all threads, and all are done with this one
        if (slab + 1 < slabs) coming.load(stages[next], 0, row, column);
      }
      const wide_fragment& f = fragments[step % 2];
      // To and fro, so that a row begins with the column that the row before ended with: each multiplication
      // then finds one operand in the register cache.
#pragma unroll
      for (int i = 0; i < rows_of_thread; ++i)
#pragma unroll
        for (int nth = 0; nth < columns_of_thread; ++nth) {
          const int j = i % 2 == 0 ? nth : columns_of_thread - 1 - nth;
          sum[i][j] += f.a[i] * f.b[j];
        }
    }
    here = next;
  }
  store_outputs<Fit>(v, sum, tile_row + row, tile_column + column);
}

void smem_wide_block(launcher& to, const problem& p, const switches&) {
  const bool is_whole = p.m % wide_rows == 0 && p.n % wide_columns == 0 && p.k % wide_slab == 0;
  launch(to,
         is_whole       ? multiply_wide_tiles<matrix_fit::whole_tiles>
         : p.n % 4 == 0 ? multiply_wide_tiles<matrix_fit::vectors>
                        : multiply_wide_tiles<matrix_fit::floats>,
         dim3(blocks_for(p.n, wide_columns), blocks_for(p.m, wide_rows)), dim3(wide_threads),
         wide_stages * sizeof(wide_stage), view(p));
}

}  // namespace ablate::matmul
