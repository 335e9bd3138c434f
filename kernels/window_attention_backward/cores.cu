#include "kernels/window_attention_backward/cores.h"

#include <stdexcept>
#include <string>

namespace ablate::window_attention_backward {

void differentiate_on_hopper(launcher& to, const problem& p, text_view dq) {
  if (dq == "two_pass") return differentiate_in_two_passes_on_hopper(to, p);
  if (dq == "bulk") return differentiate_by_bulk_copies_on_hopper(to, p);
  if (dq == "reductions") return differentiate_by_reductions_on_hopper(to, p);
  if (dq == "persistent") return differentiate_by_persistent_blocks(to, p);
  if (dq == "window_per_cta") return differentiate_by_windows(to, p);
  const bool is_narrow = p.attention.width == 16;  // what these forms are for
  if (dq == "four_groups")
    return is_narrow ? differentiate_by_four_groups(to, p) : differentiate_by_reductions_on_hopper(to, p);
  if (dq == "private")
    return is_narrow ? differentiate_with_private_dq(to, p) : differentiate_by_reductions_on_hopper(to, p);
  throw std::invalid_argument(
      "dq=" + std::string(dq) +
      ": expected two_pass, bulk, reductions, persistent, window_per_cta, four_groups or private");
}

}  // namespace ablate::window_attention_backward
