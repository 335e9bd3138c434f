#include "oracles/backbone/checked_window_attention_backward.h"

#include "kernels/common/memory_cutter.h"
#include "kernels/network/parts.h"
#include "kernels/training/gradient_parts.h"

namespace ablate::backbone {
namespace {

/// The operation's own memory, and row sums of dO ∘ O after it.
std::int64_t cut_attention_plain(window_attention_backward::checked_problem& gradient, std::byte* memory) {
  memory_cutter cutter{memory};
  std::byte* own = nullptr;
  cutter.cut(own, static_cast<std::int64_t>(window_attention_backward::reference_bytes(gradient)));
  cutter.cut(gradient.plain_delta, gradient.attention.heads * gradient.attention.tokens);
  gradient.reference = own;
  return static_cast<std::int64_t>(cutter.used);
}

}  // namespace

window_attention_backward::checked_problem checked_attention_gradient_of(
    const problem& p, const network& n, const step& s, window_attention_backward::deviations* found,
    std::byte* memory) {
  window_attention_backward::checked_problem checked{attention_gradient_of(p, n, s), {}};
  cut_attention_plain(checked, memory);
  checked.found = found;
  return checked;
}

std::int64_t attention_gradient_yardstick_bytes(const network& n, const step& s) {
  window_attention_backward::checked_problem sizes;
  sizes.attention = attention_sizes(n, s);
  return cut_attention_plain(sizes, nullptr);
}

}  // namespace ablate::backbone
