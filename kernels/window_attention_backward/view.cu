#include "kernels/window_attention_backward/view.cuh"

#include <cmath>

namespace ablate::window_attention_backward {

namespace {

auto* bf16(std::uint16_t* at) { return reinterpret_cast<__nv_bfloat16*>(at); }
auto* bf16(const std::uint16_t* at) { return reinterpret_cast<const __nv_bfloat16*>(at); }

}  // namespace

view::view(const problem& p)
    : q(bf16(p.attention.q)),
      k(bf16(p.attention.k)),
      v(bf16(p.attention.v)),
      out(bf16(p.attention.out)),
      out_gradient(bf16(p.out_gradient)),
      lse(p.attention.lse),
      q_gradient(bf16(p.q_gradient)),
      k_gradient(bf16(p.k_gradient)),
      v_gradient(bf16(p.v_gradient)),
      statistics(reinterpret_cast<row_statistics*>(cut_scratch(p).row_statistics)),
      q_gradient_sums(cut_scratch(p).q_gradient_sums),
      q_gradient_parts(cut_scratch(p).q_gradient_parts),
      arrivals(nullptr),
      scope(p.attention.scope),
      index(p.attention.rows == window_attention::row_order::scattered ? p.attention.narrow.row_of_token
                                                                       : nullptr),
      tokens(p.attention.tokens),
      windows(p.attention.windows()),
      batches(static_cast<int>(p.attention.batches)),
      heads(static_cast<int>(p.attention.heads)),
      width(p.attention.width),
      window(static_cast<int>(p.attention.window)),
      bucket(static_cast<int>(p.attention.bucket)),
      buckets_per_window(static_cast<int>(p.attention.window / p.attention.bucket)),
      scale(static_cast<float>(1 / std::sqrt(p.attention.width))),
      scale_log2(static_cast<float>(std::log2(std::exp(1.0)) / std::sqrt(p.attention.width))) {}

view view_of_kept_sums(const problem& p) {
  const kept_memory kept = cut_kept_memory(p);
  view v(p);
  v.q_gradient_sums = kept.q_gradient_sums;
  v.arrivals = kept.arrivals;
  return v;
}

}  // namespace ablate::window_attention_backward
