#include "kernels/window_attention/view.cuh"

#include <cmath>

namespace ablate::window_attention {

view::view(const problem& p, int query_rows)
    : q(reinterpret_cast<const __nv_bfloat16*>(p.q)),
      k(reinterpret_cast<const __nv_bfloat16*>(p.k)),
      v(reinterpret_cast<const __nv_bfloat16*>(p.v)),
      out(reinterpret_cast<__nv_bfloat16*>(p.out)),
      lse(p.lse),
      scope(p.scope),
      index(p.rows == row_order::scattered ? p.narrow.row_of_token : nullptr),
      qkv_stride(p.qkv_stride()),
      tokens(p.tokens),
      windows(p.windows()),
      query_tiles(p.batches * p.windows() * p.heads * ((p.window + query_rows - 1) / query_rows)),
      batches(static_cast<int>(p.batches)),
      heads(static_cast<int>(p.heads)),
      width(p.width),
      window(static_cast<int>(p.window)),
      bucket(static_cast<int>(p.bucket)),
      buckets_per_window(static_cast<int>(p.window / p.bucket)),
      key_norms(static_cast<const float*>(p.scratch)),
      again(reinterpret_cast<unsigned*>(static_cast<float*>(p.scratch) +
                                        p.batches * p.heads * (p.tokens / 128))),
      scale_log2(static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(p.width))) {}

}  // namespace ablate::window_attention
