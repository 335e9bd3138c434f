
#include "kernels/psh_bucket/phases.h"

#include "kernels/common/min_max.h"

namespace ablate::psh_bucket {

void run_phases(launcher& to, const problem& p, const placing& with, const switches& s) {
  if (p.does(phase::prepare)) prepare(to, p);
  if (with.insert_and_rebalance && p.does(phase::insert) && p.does(phase::rebalance)) {
    with.insert_and_rebalance(to, p, s);
  } else {
    if (p.does(phase::insert)) with.insert(to, p, s);
    if (p.does(phase::rebalance)) with.rebalance(to, p, s);
  }
  const bool strict = p.mode == mode::strict;
  if (p.does(phase::drain)) strict ? fill_places(to, p, p.does(phase::scatter)) : drain_bin(to, p);
  if (p.does(phase::scatter)) {
    if (!(strict && p.does(phase::drain))) scatter_points(to, p);
    scatter_features(to, p);
  }
}

std::size_t shared_request(const launcher& to, const switches& s, std::size_t needed,
                           std::size_t static_bytes) {
  if (!s.has("smem_request") || s.word("smem_request") == "needed") return needed;
  const std::size_t most = to.device().shared_bytes_per_block - static_bytes;
  if (s.word("smem_request") == "max") return std::max(needed, most);
  const auto wanted = static_cast<std::size_t>(s.integer("smem_request")) * 1024;
  return std::max(needed, std::min(wanted, most));
}

}  // namespace ablate::psh_bucket
