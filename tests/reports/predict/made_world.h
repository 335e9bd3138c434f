#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reports/predict/seen.h"

/// Two chips whose times are known: each case takes as long as its slowest part, and waits for a tenth of
/// that.
namespace ablate::predict {

inline std::optional<chip_sheet> made_sheet(const std::string& chip) {
  if (chip == "first") return chip_sheet{"first", "sm_90a", 4e12, 900e12, 60e12, 1800};
  if (chip == "second") return chip_sheet{"second", "sm_90a", 2e12, 900e12, 60e12, 1800};
  if (chip == "old") return chip_sheet{"old", "sm_80", 1e12, 300e12, 20e12, 1400};
  return std::nullopt;
}

inline measured_rates made_rates(double scale) {
  return {4e12 * scale, 4e12 * scale, 4e12 * scale, 6e12 * (1 + scale) / 2, 120e9 * (1 + scale) / 2,
          100e9,        4.0,          1.0};
}

/// Of `memory` + `compute`, one is 1 or close to it.
inline seen_case made_case(const std::string& operation, const std::string& variant, double size,
                           double memory, double compute, double bandwidth) {
  const double bytes = size * 1e6, alone_us = bytes / 4e12 * 1e6 / std::max(memory, 0.01);
  const double slowest = std::max(memory * alone_us * 4e12 / bandwidth, compute * alone_us);
  seen_case out;
  out.operation = operation;
  out.variant = variant;
  out.cache_state = "cold-clean";
  out.method = "events";
  out.axes = {{"input", "street"}, {"points", std::to_string(static_cast<long>(size))}};
  out.name = operation + "/" + variant;
  out.us = slowest + 0.1 * alone_us;
  out.low_us = 0.99 * out.us;
  out.high_us = 1.01 * out.us;
  // Activity is seen on the chip where the case ran.
  out.counters =
      seen_case::counted{bytes, 0, bytes / 640, 0, size * 1e3, 0, 0.6 * compute * alone_us / out.us};
  out.floors = seen_case::floor_us{bytes / bandwidth * 1e6, 0, 0, 0, false};
  out.runs_on = {"sm_90a"};
  return out;
}

/// Operations that are bound by memory, by compute, or by both in turn. The second chip has half of the
/// bandwidth.
inline std::vector<seen_record> made_world(double second_scale = 0.7) {
  std::vector<seen_record> out = {{"first/made", "first", "a", "2026-01-01", made_rates(1), {}},
                                  {"second/made", "second", "b", "2026-01-02", made_rates(second_scale), {}}};
  const std::vector<std::pair<double, double>> bounds = {
      {0.95, 0.1}, {0.9, 0.3}, {0.2, 0.95}, {0.05, 0.9}, {0.5, 0.9}};
  for (std::size_t o = 0; o < bounds.size(); ++o)
    for (const double size : {100.0, 200.0, 400.0, 800.0})
      for (const double other : {1.0, 0.9}) {
        const std::string operation = "operation_" + std::to_string(o),
                          variant = other == 1 ? "plain" : "tuned";
        const auto [memory, compute] = bounds[o];
        for (const int chip : {0, 1})
          out[static_cast<std::size_t>(chip)].cases.push_back(
              made_case(operation, variant, size, memory * other, compute, chip == 0 ? 4e12 : 2.8e12));
      }
  return out;
}

}  // namespace ablate::predict
