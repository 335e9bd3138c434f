#include "oracles/backbone/checked_window_attention.h"

#include "kernels/network/parts.h"

namespace ablate::backbone {

window_attention::checked_problem checked_attention_of(const problem& p, const network& n, const step& s,
                                                       window_attention::deviations* found,
                                                       std::byte* memory) {
  window_attention::checked_problem checked{attention_of(p, n, s)};
  checked.found = found;
  checked.reference = memory;
  return checked;
}

std::int64_t attention_yardstick_bytes(const network& n, const step& s) {
  return static_cast<std::int64_t>(window_attention::reference_bytes(attention_sizes(n, s)));
}

}  // namespace ablate::backbone
