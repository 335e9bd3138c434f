// Packed Q, K and V copied into three tensors before the core, as the published Bucket-Swin layer does: 16
// bytes a thread, coalesced both ways. The same core on the same input reads the packed tensor in place, by
// the strides of its tensor maps. Should move, against that: bytes of L2 and DRAM, by 6 tensors read or
// written.
#include "kernels/window_attention/hopper_forward.h"
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/moved_rows.h"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

constexpr int split_threads = 256;

/// `packed` [rows][3][vectors] to [3][rows][vectors]; less than 2^32 vectors in all.
__global__ __launch_bounds__(split_threads) void split_qkv(const uint4* packed, uint4* split, unsigned rows,
                                                           unsigned vectors) {
  const unsigned i = blockIdx.x * split_threads + threadIdx.x;
  if (i >= rows * 3 * vectors) return;
  const unsigned piece = i / vectors, row = piece / 3, tensor = piece % 3;
  split[(tensor * rows + row) * vectors + i % vectors] = packed[i];
}

void hopper_split_qkv(launcher& to, const problem& p, const switches& s) {
  if (p.does(phase::attend)) {
    const moved_rows moved(p);
    problem split = p;
    split.layout = qkv_layout::split;
    split.q = moved.qkv;
    split.k = moved.qkv == nullptr ? nullptr : moved.qkv + p.elements();
    split.v = moved.qkv == nullptr ? nullptr : moved.qkv + 2 * p.elements();
    const auto rows = static_cast<unsigned>(p.batches * p.tokens),
               vectors = static_cast<unsigned>(p.heads * p.width / 8);
    launch(to, split_qkv, dim3(blocks_for(3 * p.elements() / 8, split_threads)), dim3(split_threads), 0,
           reinterpret_cast<const uint4*>(p.q), reinterpret_cast<uint4*>(moved.qkv), rows, vectors);
    attend_as_stated(to, split, s);
  }
}

}  // namespace ablate::window_attention
