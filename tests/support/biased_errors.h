#pragma once

#include "kernels/common/bias.h"

namespace ablate::test_support {

/// What a comparison finds where each of so many units is off by this part of itself.
inline signed_errors biased_errors(double factor, int units = 4096) {
  signed_errors all{};
  for (int i = 0; i < units; ++i) {
    unit_errors unit;
    unit.add(1 + factor, 1);
    all.add(unit);
  }
  return all;
}

}  // namespace ablate::test_support
