#pragma once

#include <cstdint>

#include "oracles/common/generated_element.h"
#include "oracles/global_attention/checked_layer.h"

namespace ablate::global_attention_backward {

/// Element of dO: what is in memory.
ABLATE_ON_BOTH inline std::uint16_t generated_out_gradient(const global_attention::checked_layer& p,
                                                           std::int64_t head, std::int64_t token,
                                                           int element) {
  const auto index =
      static_cast<std::uint64_t>((head * p.tokens + token) * global_attention::width + element);
  return window_attention::generated_element(p.seed, window_attention::tensor::out_gradient, index, 1);
}

}  // namespace ablate::global_attention_backward
