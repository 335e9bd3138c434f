#include "kernels/backbone/backbone.h"

namespace ablate::backbone {

int published_waits_of(const network& n, const step& s) {
  switch (s.kind) {
    case step_kind::order:
      return 4;
    case step_kind::attention:
      return n.of.in_buckets ? 1 : 0;
    case step_kind::reduce:
    case step_kind::pool:
      return n.pools_by_grid() ? 0 : 2;
    case step_kind::codes:
      return 4;
    case step_kind::convolve:
      return s.is_stem ? 1 : 0;
    case step_kind::map:
      return s.is_stem ? 0 : 1;
    case step_kind::slots:
      return 22;
    case step_kind::cluster:
      return n.pools_by_grid() ? 3 : 0;
    default:
      return 0;
  }
}

int published_waits(const network& n) {
  int waits = 0;
  for (const step& s : n.steps) waits += published_waits_of(n, s);
  return waits;
}

}  // namespace ablate::backbone
