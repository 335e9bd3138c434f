// Pooling by grid from the flags of sorted orders, see number_flags.cu: two launches, or one with `launch` =
// one (number_flags_at_once.cu); no sort, no host.
#include "kernels/pool/launches.h"
#include "kernels/pool/number_flags.cuh"
#include "kernels/pool/phases.h"

namespace ablate::pool {

void index_by_flags(launcher& to, const problem& p, const switches& s) {
  if (s.word("launch") == "one") return index_by_flags_at_once(to, p);
  const grid_view v(p);
  number_clusters(to, v, p.curves);
  carry_orders(to, v, p.curves, s.word("launch") == "pdl");
}

void flags_of_orders(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_by_flags);
}

}  // namespace ablate::pool
