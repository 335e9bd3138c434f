#include "kernels/window_attention_backward/moved_rows.h"

#include <initializer_list>

#include "kernels/common/memory_cutter.h"

namespace ablate::window_attention_backward {

using window_attention::row_order;

moved_rows::moved_rows(const problem& p) {
  const window_attention::problem& a = p.attention;
  if (a.rows != row_order::scattered) return;
  memory_cutter cutter{static_cast<std::byte*>(p.moved)};
  for (std::uint16_t** tensor : {&q, &k, &v, &out, &out_gradient, &q_gradient, &k_gradient, &v_gradient})
    cutter.cut(*tensor, a.elements());
  cutter.cut(lse, a.batches * a.heads * a.tokens);
  bytes = cutter.used;
}

std::size_t moved_rows_bytes(const problem& p) { return moved_rows(p).bytes; }

problem in_moved_rows(const problem& p, const moved_rows& moved) {
  problem there = p;
  there.attention.rows = row_order::contiguous;
  there.attention.scope = nullptr;
  there.attention.q = moved.q;
  there.attention.k = moved.k;
  there.attention.v = moved.v;
  there.attention.out = moved.out;
  there.attention.lse = moved.lse;
  there.out_gradient = moved.out_gradient;
  there.q_gradient = moved.q_gradient;
  there.k_gradient = moved.k_gradient;
  there.v_gradient = moved.v_gradient;
  return there;
}

}  // namespace ablate::window_attention_backward
