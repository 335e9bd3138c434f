#include "variants/global_attention_backward/prepare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace ablate::global_attention_backward {

workload behind(const std::shared_ptr<const workload>& forward, workload backward) {
  const std::size_t of_forward = forward->contents.size();
  workload w = std::move(backward);
  std::ranges::copy(forward->contents, w.contents.begin());
  w.check = [forward, of_forward, check = w.check](std::span<const std::byte* const> outputs) {
    const check_result result = forward->check(outputs.first(of_forward));
    return result.ok ? check(outputs) : result;
  };
  w.quality = [forward, of_forward, quality = w.quality](std::span<const std::byte* const> outputs) {
    nlohmann::ordered_json figures = forward->quality(outputs.first(of_forward));
    figures.update(quality(outputs));
    return figures;
  };
  w.reference = [forward, of_forward, reference = w.reference](std::span<void* const> addresses) {
    forward->reference(addresses.first(of_forward));
    reference(addresses);
  };
  nlohmann::ordered_json input = forward->input;
  input.update(w.input);
  w.input = std::move(input);
  return w;
}

// Compulsory, whatever is handed from part to part: Q, K, V, dO and gates read once, O, the log-sum-exp and
// gradients written; or, backward alone, O and the log-sum-exp read. Two products forward, five backward;
// exponentials once, since what is kept need not be computed again.
work_model work_of(const global_attention::layer& forward, phase work, const work_model& of_forward,
                   double of_gates) {
  const auto elements = static_cast<double>(forward.elements());
  const double out = 2 * elements + 4 * elements / width;
  const double read = 8 * elements + of_gates, gradients_of_all = 6 * elements + of_gates;
  const bool is_whole = work == phase::train;
  return {.bytes = read + out + gradients_of_all,
          .written_bytes = gradients_of_all + (is_whole ? out : 0),
          .flops = of_forward.flops * (is_whole ? 3.5 : 2.5),
          .flop_pipe = of_forward.flop_pipe,
          .exponentials = of_forward.exponentials};
}

double modelled_bytes(const global_attention::layer& forward) {
  const auto elements = static_cast<double>(forward.elements());
  return 16 * elements + 4 * elements / width;
}

nlohmann::ordered_json input_facts(const global_attention::layer& forward, double bytes) {
  const std::int64_t pairs = forward.heads * forward.tokens * forward.tokens;
  return {{"modelled_bytes", std::llround(bytes)}, {"pairs_of_tokens", pairs}};
}

}  // namespace ablate::global_attention_backward
