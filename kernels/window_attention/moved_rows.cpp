#include "kernels/window_attention/moved_rows.h"

#include "kernels/common/cub_memory.h"
#include "kernels/common/memory_cutter.h"

namespace ablate::window_attention {

moved_rows::moved_rows(const problem& p) {
  memory_cutter cutter{static_cast<std::byte*>(p.moved)};
  if (p.rows == row_order::scattered || p.layout == qkv_layout::packed) cutter.cut(qkv, 3 * p.elements());
  if (p.rows == row_order::scattered) {
    cutter.cut(out, p.elements());
    cutter.cut(lse, p.batches * p.heads * p.tokens);
    for (int i = 0; i < 2; ++i) {
      cutter.cut(keys[i], p.tokens);
      cutter.cut(rows[i], p.tokens);
    }
    sort_bytes = cub_memory_bytes(p.tokens);
    cutter.cut(sort_memory, static_cast<std::int64_t>(sort_bytes));
  }
  bytes = cutter.used;
}

std::size_t moved_rows_bytes(const problem& p) { return moved_rows(p).bytes; }

problem in_moved_rows(const problem& p, const moved_rows& moved) {
  problem q = p;
  q.rows = row_order::contiguous;
  q.scope = nullptr;
  const std::int64_t apart = p.layout == qkv_layout::packed ? p.heads * p.width : p.elements();
  q.q = moved.qkv;
  q.k = moved.qkv == nullptr ? nullptr : moved.qkv + apart;
  q.v = moved.qkv == nullptr ? nullptr : moved.qkv + 2 * apart;
  q.out = moved.out;
  q.lse = moved.lse;
  return q;
}

}  // namespace ablate::window_attention
