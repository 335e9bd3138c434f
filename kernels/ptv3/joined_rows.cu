// The rows of a PTv3 block on their way into its windows and back (steps=joined):
//   in    s = x + LN(y), the end of the position encoding; n[slot] = LN'(s[row of the slot]), which the
//         product of Q, K and V reads as it is;
//   back  s = x + y[slot of the row], the residual after the projection; n = LN'(s) before the MLP.
// Rows of C elements move where chosen moves 3C of Q, K and V, and within launches that read and write them
// anyway: norms, residuals and moves are two launches of a block, not five or six. A row in min(C / 8, 32)
// lanes, 16 bytes a load, everything in registers (row_norm's layout). A row in two windows is summed twice,
// and written by its representative slot. What is normed is the sum as it is written, rounded.
// Should move: launches; bytes from L2, 22·C to 14·C a row.
#include "kernels/common/refuse_launch.h"
#include "kernels/ptv3/joined_rows.h"

#include "kernels/common/dependent_launch.cuh"
#include "kernels/mlp/mlp.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "kernels/row_norm/layer_rows.cuh"

namespace ablate::backbone {

template <int Channels>
using registers_of_row = float[row_norm::row_layout<Channels>::chunks][chunk];

/// Of a chunk of a row, in place: normalized by its moments.
template <int Channels>
__device__ inline void normalize_chunk(float (&x)[chunk], const float2& moments, const float* norm, int at) {
  float gamma[chunk], beta[chunk];
  load_parameters(gamma, norm + at * chunk);
  load_parameters(beta, norm + Channels + at * chunk);
#pragma unroll
  for (int i = 0; i < chunk; ++i) x[i] = fmaf((x[i] - moments.x) * moments.y, gamma[i], beta[i]);
}

/// x + y as it is written, into y.
__device__ inline uint4 add_chunk(float (&y)[chunk], const uint4& x) {
  float residual[chunk];
  unpack(residual, x);
#pragma unroll
  for (int i = 0; i < chunk; ++i) y[i] += residual[i];
  const uint4 rounded = ablate::pack(y);
  unpack(y, rounded);
  return rounded;
}

/// The sum, normalized in its place, to row `to` of `normed`.
template <int Channels>
__device__ inline void store_normed(registers_of_row<Channels>& sum, const float2& moments, const float* norm,
                                    std::uint16_t* normed, long long to) {
  using layout = row_norm::row_layout<Channels>;
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) {
    normalize_chunk<Channels>(sum[c], moments, norm, layout::chunk_of(c));
    store_chunk(normed, to * layout::chunks_of_row + layout::chunk_of(c), ablate::pack(sum[c]));
  }
}

/// All lanes of a warp exchange sums: past the last slot they have rows of zeros.
template <int Channels>
__global__ __launch_bounds__(row_norm::threads_of_block) void add_normed_into_windows(entering_rows v) {
  using layout = row_norm::row_layout<Channels>;
  let_next_kernel_begin();
  wait_for_previous_kernel();
  const long long slot = static_cast<long long>(blockIdx.x) * layout::rows_of_block + layout::row();
  const bool is_there = slot < v.slots;
  const long long row = is_there ? v.row_of_slot[slot] : 0;
  const bool stands_for_row = is_there && v.slot_of_row[row] == slot;
  registers_of_row<Channels> y;
  uint4 x[layout::chunks];  // on its way while y is summed
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) {
    const long long at = row * layout::chunks_of_row + layout::chunk_of(c);
    unpack(y[c], is_there ? load_chunk(v.y, at) : uint4{});
    x[c] = is_there ? load_chunk(v.x, at) : uint4{};
  }
  const float2 of_y = row_norm::moments_of<Channels>(y);
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) {
    const long long at = row * layout::chunks_of_row + layout::chunk_of(c);
    normalize_chunk<Channels>(y[c], of_y, v.norm, layout::chunk_of(c));
    const uint4 sum = add_chunk(y[c], x[c]);
    if (stands_for_row) store_chunk(v.sum, at, sum);
  }
  const float2 of_sum = row_norm::moments_of<Channels>(y);
  if (is_there) store_normed<Channels>(y, of_sum, v.next_norm, v.normed, slot);
}

/// What becomes of the sum of a row that leaves its window, beside being written.
enum class after_sum { nothing, norm };

template <int Channels, after_sum After>
__global__ __launch_bounds__(row_norm::threads_of_block) void add_from_windows(leaving_rows v) {
  using layout = row_norm::row_layout<Channels>;
  let_next_kernel_begin();
  wait_for_previous_kernel();
  const long long row = static_cast<long long>(blockIdx.x) * layout::rows_of_block + layout::row();
  const bool is_there = row < v.rows;
  const long long slot = is_there ? v.slot_of_row[row] : 0;
  registers_of_row<Channels> y;
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) {
    const int of_row = layout::chunk_of(c);
    const long long at = row * layout::chunks_of_row + of_row;
    unpack(y[c], is_there ? load_chunk(v.y, slot * layout::chunks_of_row + of_row) : uint4{});
    const uint4 sum = add_chunk(y[c], is_there ? load_chunk(v.x, at) : uint4{});
    if (is_there) store_chunk(v.sum, at, sum);
  }
  if constexpr (After == after_sum::norm) {
    const float2 of_sum = row_norm::moments_of<Channels>(y);
    if (is_there) store_normed<Channels>(y, of_sum, v.next_norm, v.normed, row);
  }
}

namespace {

constexpr int widest_joined_row = 512;  // of PTv3

template <class Kernel, class Rows>
void launch_rows(launcher& to, Kernel kernel, std::int64_t rows, int rows_of_block, const Rows& v) {
  launch(to, kernel,
         {.grid = dim3(blocks_for(rows, rows_of_block)),
          .block = dim3(row_norm::threads_of_block),
          .overlaps_previous = v.begins_early},
         v);
}

}  // namespace

void enter_windows(launcher& to, const entering_rows& v) {
  row_norm::with_channels<widest_joined_row>(v.channels, [&](auto channels) {
    launch_rows(to, add_normed_into_windows<channels>, v.slots, row_norm::row_layout<channels>::rows_of_block,
                v);
  });
}

void leave_windows(launcher& to, const leaving_rows& v) {
  row_norm::with_channels<widest_joined_row>(v.channels, [&](auto channels) {
    constexpr int rows_of_block = row_norm::row_layout<channels>::rows_of_block;
    if constexpr (channels > always_one_launch)
      if (v.has_norm)
        return launch_rows(to, add_from_windows<channels, after_sum::norm>, v.rows, rows_of_block, v);
    if constexpr (channels <= mlp::max_fused_channels)
      if (!v.has_norm)
        return launch_rows(to, add_from_windows<channels, after_sum::nothing>, v.rows, rows_of_block, v);
    refuse_launch({"leave_windows: rows are normed where their MLP is not one launch"});
  });
}

entering_rows entering_of(const problem& p, const network& n, const step& s, bool begins_early) {
  const window_index by = windows_of(p, n, s);
  entering_rows v;
  v.slots = n.level_at(s.level).slots;
  v.channels = s.channels;
  v.x = rows_at(p, n, s.skip);
  v.y = rows_at(p, n, s.in);
  v.norm = moved(p.vectors, n.place_at(s.norm).vectors);
  v.next_norm = moved(p.vectors, n.place_at(s.next_norm).vectors);
  v.row_of_slot = by.row_of_slot;
  v.slot_of_row = by.slot_of_row;
  v.sum = rows_at(p, n, s.out);
  v.normed = rows_at(p, n, s.next);
  v.begins_early = begins_early;
  return v;
}

leaving_rows leaving_of(const problem& p, const network& n, const step& s, bool begins_early) {
  leaving_rows v;
  v.rows = n.level_at(s.level).real;
  v.channels = s.channels;
  v.x = rows_at(p, n, s.skip);
  v.y = rows_at(p, n, s.in);
  v.slot_of_row = windows_of(p, n, s).slot_of_row;
  v.sum = rows_at(p, n, s.out);
  v.has_norm = s.next_norm >= 0;
  if (v.has_norm) {
    v.next_norm = moved(p.vectors, n.place_at(s.next_norm).vectors);
    v.normed = rows_at(p, n, s.next);
  }
  v.begins_early = begins_early;
  return v;
}

}  // namespace ablate::backbone
