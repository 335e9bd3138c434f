// The phases in order.
#include "kernels/pool/phases.h"

#include "kernels/common/launch.cuh"

namespace ablate::pool {

void run_rows(launcher& to, const problem& p, const switches& s) {
  const bool vectors = s.word("reduction") == "vec16", from_table = s.word("members") == "table";
  if (p.does(phase::reduce) && p.does(phase::finish) && s.word("finish") == "fused")
    return reduce_by_vectors(to, p, true);
  if (p.does(phase::reduce)) vectors ? reduce_by_vectors(to, p, false) : reduce_by_warps(to, p, from_table);
  if (p.does(phase::finish)) finish_rows(to, p);
  if (p.does(phase::unpool)) vectors ? unpool_by_vectors(to, p) : unpool_by_warps(to, p, from_table);
  if (p.does(phase::reduce_backward))
    vectors ? reduce_backward_by_vectors(to, p, s.word("winner") == "searched")
            : reduce_backward_by_warps(to, p, from_table);
  if (p.does(phase::unpool_backward))
    vectors ? unpool_backward_by_vectors(to, p) : unpool_backward_by_warps(to, p, from_table);
}

void run_phases(launcher& to, const problem& p, const switches& s, index_launch index) {
  if (p.does(phase::order)) return order_rows(to, p);
  if (p.does(phase::index)) index(to, p, s);
  run_rows(to, p, s);
}

}  // namespace ablate::pool
