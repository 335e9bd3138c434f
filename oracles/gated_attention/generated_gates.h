#pragma once

#include <cstdint>

#include "kernels/common/mixed.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// A gate, in (0, 1).
ABLATE_ON_BOTH inline float generated_gate(const checked_problem& p, std::int64_t token, std::int64_t head,
                                           int which) {
  const auto index = static_cast<std::uint64_t>((token * p.heads + head) * 2 + which);
  return (static_cast<float>(mixed(p.seed * 5 + index) >> 44) + 0.5f) * 0x1p-20f;
}

}  // namespace ablate::gated_attention
