// Pooling by lanes that each own a piece of a pooled row.
//   x̄ = 1/b Σ x over a block's b tokens; in mode pre y = rotated(normalized(x̄)) for q and k.
// A row of 64 bf16 is 128 bytes: eight lanes of 16 bytes, or 32 of 4. A lane adds its piece of the block's
// tokens one after the other, so the sum needs no exchange; the norm's two sums go over the row's lanes by
// shuffles, and an element's partner in the rotation comes from the lane 16 elements on. With 16 bytes a warp
// has four rows, of four blocks of a head or of four heads of a block: whole lines in either layout, and from
// adjacent heads neighboring ones where q, k and v are packed. Up to 16 loads of a lane are on their way.
// Should move: load instructions a byte (a quarter from 4 bytes to 16), stalls on loads (16 loads in flight
// against 4).
#include "kernels/block_pooling/launches.h"
#include "kernels/block_pooling/view.cuh"
#include "kernels/common/configured.h"

namespace ablate::block_pooling {

/// How a lane loads its piece of a block's rows.
struct row_loads {
  int elements = 8;    ///< of a load
  int in_flight = 16;  ///< rows
};

constexpr row_loads by_4_bytes{.elements = 2}, by_16_bytes{.elements = 8};

/// blockIdx.y: tensor, from `first` on.
template <class Configured, product Product>
__global__ __launch_bounds__(threads_of_block,
                             writes_tokens<Product> ? 3 : 5) void pool_rows(const __grid_constant__ view v,
                                                                            int first) {
  constexpr int elements = Configured::config.elements, in_flight = Configured::config.in_flight;
  using piece = row_piece<elements>;
  constexpr int rows_at_once = threads_of_block / piece::lanes;
  const int which = first + static_cast<int>(blockIdx.y), count = v.heads * v.blocks;
  const int index =
      static_cast<int>(blockIdx.x) * rows_at_once + static_cast<int>(threadIdx.x) / piece::lanes;
  // Lanes past the last row take it again, since lanes of a warp exchange sums; they store nothing.
  const bool is_there = index < count;
  const row_place at = v.place(is_there ? index : count - 1, v.blocks);
  const bool is_normalized = which < 2;

  piece sum;
#pragma unroll 1
  for (int begin = at.row * v.block, end = begin + v.block; begin < end; begin += in_flight) {
    stored_piece<elements> stored[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) stored[i].load(v.input_row(which, at.head, begin + i));
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      if constexpr (writes_tokens<Product>) {
        unsigned char* const to = v.token_row(which, {at.head, begin + i});
        if (is_normalized) {
          piece row(stored[i]);
          row.normalize(v.norm_of(which));
          row.rotate(v.rotations, view::patch(begin + i).of_lane<piece>());
          if (is_there) row.rounded().store(to);
          if constexpr (!normalizes_means<Product>) {
            sum.add(row);
            continue;
          }
        } else if (is_there) {
          stored[i].store(to);
        }
      }
      sum.add(stored[i]);
    }
  }
  sum.multiply(v.inverse_block);
  if constexpr (normalizes_means<Product>)
    if (is_normalized) {
      sum.normalize(v.norm_of(which));
      sum.rotate(v.rotations, v.block_place(at.row).of_lane<piece>());
    }
  if (!is_there) return;
  if constexpr (Product == product::fp32_means) {
    float* const to = v.mean_row(which, at) + piece::first_element();
#pragma unroll
    for (int i = 0; i < elements; i += 2) *reinterpret_cast<float2*>(to + i) = {sum.x[i], sum.x[i + 1]};
  } else {
    sum.rounded().store(v.pooled_row(which, at));
  }
}

template <row_loads Loads, product Product>
void run_rows(launcher& to, const view& v, int first, int count) {
  constexpr int rows_at_once = threads_of_block / row_piece<Loads.elements>::lanes;
  const unsigned blocks = blocks_for(static_cast<long long>(v.heads) * v.blocks, rows_at_once);
  launch(to, pool_rows<configured<Loads>, Product>, dim3(blocks, static_cast<unsigned>(count)),
         dim3(threads_of_block), 0, v, first);
}

template <row_loads Loads>
void run_fused(launcher& to, const problem& p, const view& v) {
  const bool is_pre = p.mode == mode::pre;
  if (p.writes_tokens)
    (is_pre ? run_rows<Loads, product::tokens_and_normalized_means>
            : run_rows<Loads, product::tokens_and_means>)(to, v, 0, tensors);
  else
    (is_pre ? run_rows<Loads, product::normalized_means> : run_rows<Loads, product::means>)(to, v, 0,
                                                                                            tensors);
}

void rows(launcher& to, const problem& p, const switches& s) {
  const view v(p, s.word("neighbors") == "heads");
  if (s.integer("load_bytes") == 4) return run_fused<by_4_bytes>(to, p, v);
  if (s.integer("loads_in_flight") == 4) return run_fused<row_loads{.in_flight = 4}>(to, p, v);
  run_fused<by_16_bytes>(to, p, v);
}

void pool_tensor(launcher& to, const view& v, int which, int load_bytes, product of) {
  const bool is_fp32 = of == product::fp32_means;
  if (load_bytes == 4)
    (is_fp32 ? run_rows<by_4_bytes, product::fp32_means> : run_rows<by_4_bytes, product::means>)(to, v, which,
                                                                                                 1);
  else
    (is_fp32 ? run_rows<by_16_bytes, product::fp32_means> : run_rows<by_16_bytes, product::means>)(to, v,
                                                                                                   which, 1);
}

}  // namespace ablate::block_pooling
