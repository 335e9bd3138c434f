#include "harness/timing/energy_meter.h"

#include <cmath>

#include "base/statistics/quantile.h"
#include "base/statistics/student.h"

namespace ablate {
namespace {

constexpr std::size_t stretches = 8;

}  // namespace

void energy_meter::look(double seconds, double joules) {
  const bool has_moved = last_joules_ && joules != *last_joules_;
  last_joules_ = joules;
  if (has_moved && seconds >= rule_.settle_s) steps_.push_back({seconds, joules});
}

bool energy_meter::enough() const {
  return steps_.size() > rule_.least_steps &&
         steps_.back().seconds - steps_.front().seconds >= rule_.metered_s;
}

std::optional<metered_power> energy_meter::found() const {
  if (steps_.size() <= stretches) return std::nullopt;
  const std::size_t count = steps_.size() - 1;
  const auto power = [&](std::size_t begin, std::size_t end) {
    return (steps_[end].joules - steps_[begin].joules) / (steps_[end].seconds - steps_[begin].seconds);
  };
  std::vector<double> moved;
  for (std::size_t i = 0; i < count; ++i) moved.push_back(steps_[i + 1].joules - steps_[i].joules);
  metered_power out{power(0, count), 0, steps_.back().seconds - steps_.front().seconds, gate::median(moved),
                    count};
  double squares = 0;
  for (std::size_t i = 0; i < stretches; ++i)
    squares += std::pow(power(i * count / stretches, (i + 1) * count / stretches) - out.mean_w, 2);
  out.error_w = gate::student_quantile_above(0.025, stretches - 1) *
                std::sqrt(squares / static_cast<double>(stretches * (stretches - 1)));
  return out;
}

}  // namespace ablate
