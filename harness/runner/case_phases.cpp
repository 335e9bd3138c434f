#include "harness/runner/case_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace ablate {

namespace {

constexpr const char* case_phase_names[case_phase_count] = {"inputs",   "buffers",  "checks", "samples",
                                                            "counters", "sampling", "rest"};

}  // namespace

double case_phases::all() const { return std::accumulate(seconds_.begin(), seconds_.end(), 0.0); }

void case_phases::set_rest(double elapsed_s) {
  double& rest = (*this)[case_phase::rest];
  rest = 0;
  rest = std::max(0.0, elapsed_s - all());
}

void case_clock::spent_on(case_phase phase) {
  const double now_s = watch_.seconds();
  spent_[phase] += now_s - since_s_;
  since_s_ = now_s;
}

measured_case::phases phases_of(const case_phases& of) {
  const auto seconds_of = [&](case_phase phase) {
    const double seconds = std::round(1e3 * of[phase]) / 1e3;
    return seconds > 0 ? std::optional(seconds) : std::nullopt;
  };
  return {seconds_of(case_phase::inputs),  seconds_of(case_phase::buffers),  seconds_of(case_phase::checks),
          seconds_of(case_phase::samples), seconds_of(case_phase::counters), seconds_of(case_phase::sampling),
          seconds_of(case_phase::rest)};
}

std::string phases_text(const case_phases& of) {
  std::string text;
  for (std::size_t i = 0; i < case_phase_count; ++i)
    text +=
        fmt::format("{}{} {:.1f} s", i == 0 ? "" : ", ", case_phase_names[i], of[static_cast<case_phase>(i)]);
  return text;
}

}  // namespace ablate
