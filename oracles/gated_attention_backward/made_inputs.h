#pragma once

#include <cstdint>

#include "oracles/gated_attention/made_inputs.h"
#include "oracles/gated_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// Element of dO: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t made_out_gradient(const checked_problem& p, std::int64_t head,
                                                      std::int64_t token, int element) {
  const auto index = static_cast<std::uint64_t>((head * p.forward.tokens + token) * width + element);
  return window_attention::made_element(p.forward_checks.seed, window_attention::tensor::out_gradient, index,
                                        1);
}

}  // namespace ablate::gated_attention_backward
