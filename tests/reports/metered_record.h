#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/record/record.h"

namespace ablate::reports {

/// Of a case that is metered in batches, consistent in itself: `mean_w` over launches of `loop_us`.
inline energy_use metered(double mean_w, double loop_us, double error_pct = 1) {
  return {.launch_j = mean_w * loop_us * 1e-6,
          .error_pct = error_pct,
          .mean_w = mean_w,
          .loop_us = loop_us,
          .around_j = 0,
          .idle_w = 75,
          .seconds = 1,
          .step_j = mean_w / 50,
          .steps = 50};
}

inline measured_case& case_named(record& of, const std::string& name) {
  const auto found =
      std::find_if(of.cases.begin(), of.cases.end(), [&](const measured_case& c) { return c.name == name; });
  if (found == of.cases.end()) throw std::runtime_error("no case " + name);
  return *found;
}

}  // namespace ablate::reports
