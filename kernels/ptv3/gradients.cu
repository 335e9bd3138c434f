// Gradients of PTv3's own steps.
//   from_windows: a slot gets its row's gradient if it is the row's main slot, else 0: the rows that an
//   instance's last window borrows from the previous window write no output.
//   into_windows: Q, K and V of a row are in one slot, or in two, a window apart: sums them in fp32 and
//   interleaves them for the preceding layer. Rows are gathered, without atomics.
//   convolution: sparse_conv's. The rows' gradient uses the table, with opposite offsets and transposed
//   weights; the weights' gradient uses the lists, in splits added in order.
// 16 bytes of a row per thread. Should move: DRAM throughput, to that of a copy.
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/ptv3/run.h"
#include "kernels/ptv3/window_rows.cuh"
#include "kernels/sparse_conv/launches.h"

namespace ablate::backbone {

constexpr int window_gradient_threads = 256;

/// `chunks`: of `out`, rows of C channels.
__global__ __launch_bounds__(window_gradient_threads) void spread_to_slots(
    const std::uint16_t* in, std::uint16_t* out, window_rows windows, long long chunks, int chunks_of_row) {
  const long long at = blockIdx.x * static_cast<long long>(window_gradient_threads) + threadIdx.x;
  if (at >= chunks) return;
  const long long slot = at / chunks_of_row, row = windows.row_of_slot[slot];
  const uint4 none{};
  store_chunk(
      out, at,
      windows.slot_of_row[row] == slot ? load_chunk(in, row * chunks_of_row + at % chunks_of_row) : none);
}

/// [3][slots][C] to [rows][3][C]; `chunks`: of `out`.
__global__ __launch_bounds__(window_gradient_threads) void add_slots_of_rows(
    const std::uint16_t* in, std::uint16_t* out, window_rows windows, long long chunks, int chunks_of_third) {
  const long long at = blockIdx.x * static_cast<long long>(window_gradient_threads) + threadIdx.x;
  if (at >= chunks) return;
  const long long row = at / (3 * chunks_of_third), third = at / chunks_of_third % 3;
  const long long slot = windows.slot_of_row[row], other = windows.other_slot(slot);
  const auto chunk_at = [&](long long of) {
    return load_chunk(in, (third * windows.slots + of) * chunks_of_third + at % chunks_of_third);
  };
  uint4 gradient = chunk_at(slot);
  if (other >= 0) {
    float sum[chunk], more[chunk];
    unpack(sum, gradient);
    unpack(more, chunk_at(other));
#pragma unroll
    for (int i = 0; i < chunk; ++i) sum[i] += more[i];
    gradient = ablate::pack(sum);
  }
  store_chunk(out, at, gradient);
}

window_rows window_rows_of(const problem& p, const network& n, const step& s) {
  const window_index by = windows_of(p, n, s);
  window_rows windows{};
  windows.row_of_slot = by.row_of_slot;
  windows.slot_of_row = by.slot_of_row;
  windows.slots = n.level_at(s.level).slots;
  windows.window = static_cast<std::uint32_t>(n.shape.window);
  if (n.is_block()) return windows;  // each row has one slot
  windows.ends = moved(p.ends, std::int64_t{s.level} * n.instances());
  windows.slot_ends = slot_ends_of(p, n, s.level);
  windows.instances = n.instances();
  return windows;
}

namespace {

void run_from_windows_gradient(launcher& to, const problem& p, const network& n, const step& s) {
  const int chunks_of_row = s.channels / chunk;
  const long long chunks = n.level_at(s.level).slots * chunks_of_row;
  launch(to, spread_to_slots, dim3(blocks_for(chunks, window_gradient_threads)),
         dim3(window_gradient_threads), 0, static_cast<const std::uint16_t*>(rows_at(p, n, s.in)),
         rows_at(p, n, s.out), window_rows_of(p, n, s), chunks, chunks_of_row);
}

void run_into_windows_gradient(launcher& to, const problem& p, const network& n, const step& s) {
  const int chunks_of_third = s.channels / chunk;
  const long long chunks = 3 * n.level_at(s.level).rows * chunks_of_third;
  launch(to, add_slots_of_rows, dim3(blocks_for(chunks, window_gradient_threads)),
         dim3(window_gradient_threads), 0, static_cast<const std::uint16_t*>(rows_at(p, n, s.in)),
         rows_at(p, n, s.out), window_rows_of(p, n, s), chunks, chunks_of_third);
}

void run_convolution_gradient(launcher& to, const sparse_conv::problem& conv, bool is_stem) {
  static const switches stem = {{"weights", "shared"}},
                        standing = {{"offsets", "present"}, {"rows", "as_they_stand"}};
  is_stem ? sparse_conv::stem_rows(to, conv, stem) : sparse_conv::output_tiles(to, conv, standing);
}

}  // namespace

void run_ptv3_gradient(launcher& to, const problem& p, const network& n, const step& s) {
  if (s.kind == step_kind::from_windows_gradient) return run_from_windows_gradient(to, p, n, s);
  if (s.kind == step_kind::into_windows_gradient) return run_into_windows_gradient(to, p, n, s);
  run_convolution_gradient(to, convolution_gradient_of(p, n, s), s.is_stem);
}

}  // namespace ablate::backbone
