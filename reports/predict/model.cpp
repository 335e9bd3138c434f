#include "reports/predict/model.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ablate::predict {
namespace {

constexpr double bytes_per_request = 64;
/// Look-ups a reduction, from the near half of L2 and half of the times from the far one.
constexpr double sectors_per_atomic = 1.5;
constexpr double most_pressure = 1.5, least_pressure = 1e-6;

constexpr std::size_t at(resource of) { return static_cast<std::size_t>(of); }

double cubed(double x) { return x * x * x; }

// The fit: 3 % of noise a case, ten cases' worth of evidence an operation.
constexpr std::size_t fitted_weights = 3;
using vector3 = std::array<double, fitted_weights>;
using matrix3 = std::array<vector3, fitted_weights>;
constexpr vector3 prior = {0.5, 2, 1.4}, prior_sigma = {0.2, 0.7, 0.5};
constexpr double noise = 0.03, huber = 0.05, cases_an_operation = 10;

weights weights_of(const vector3& v) { return {std::fabs(v[0]), v[1], v[2]}; }

/// Cholesky; of a symmetric positive definite matrix.
vector3 solved(matrix3 m, vector3 right) {
  for (std::size_t j = 0; j < fitted_weights; ++j) {
    for (std::size_t k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
    m[j][j] = std::sqrt(m[j][j]);
    for (std::size_t i = j + 1; i < fitted_weights; ++i) {
      for (std::size_t k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
      m[i][j] /= m[j][j];
    }
  }
  for (std::size_t i = 0; i < fitted_weights; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= m[i][k] * right[k];
    right[i] /= m[i][i];
  }
  for (std::size_t i = fitted_weights; i-- > 0;) {
    for (std::size_t k = i + 1; k < fitted_weights; ++k) right[i] -= m[k][i] * right[k];
    right[i] /= m[i][i];
  }
  return right;
}

struct weighted_transfer {
  const transfer* of;
  double weight;
};

double loss(const std::vector<weighted_transfer>& all, const vector3& v) {
  double out = 0;
  for (const auto& [of, weight] : all) {
    const double e = std::fabs(of->observed - of->predicted(weights_of(v)));
    out += weight * (e < huber ? e * e / 2 : huber * (e - huber / 2)) / (noise * noise);
  }
  for (std::size_t i = 0; i < fitted_weights; ++i) {
    const double off = (v[i] - prior[i]) / prior_sigma[i];
    out += off * off / 2;
  }
  return out;
}

/// The step of Gauss and Newton, damped.
vector3 step_from(const std::vector<weighted_transfer>& all, const vector3& v, double damping) {
  constexpr double h = 1e-4;
  matrix3 hessian = {};
  vector3 gradient = {};
  for (const auto& [of, weight] : all) {
    const double base = of->predicted(weights_of(v)), e = of->observed - base;
    const double w = weight * (std::fabs(e) < huber ? 1 : huber / std::fabs(e)) / (noise * noise);
    vector3 slope;
    for (std::size_t i = 0; i < fitted_weights; ++i) {
      vector3 moved = v;
      moved[i] += h;
      slope[i] = (of->predicted(weights_of(moved)) - base) / h;
    }
    for (std::size_t i = 0; i < fitted_weights; ++i) {
      gradient[i] += w * slope[i] * e;
      for (std::size_t j = 0; j < fitted_weights; ++j) hessian[i][j] += w * slope[i] * slope[j];
    }
  }
  for (std::size_t i = 0; i < fitted_weights; ++i) {
    const double precision = 1 / (prior_sigma[i] * prior_sigma[i]);
    hessian[i][i] += precision;
    gradient[i] -= (v[i] - prior[i]) * precision;
  }
  for (std::size_t i = 0; i < fitted_weights; ++i) hessian[i][i] *= 1 + damping;
  return solved(hessian, gradient);
}

}  // namespace

std::string name_of(resource of) {
  constexpr const char* names[resources] = {"device memory", "L2",    "atomics",
                                            "tensor pipe",   "issue", "waits"};
  return names[at(of)];
}

std::optional<pressures> pressures_of(const seen_case& c, const measured_rates& rates) {
  if (!(c.us > 0)) return std::nullopt;
  pressures out;
  const double s = c.us * 1e-6;
  const auto set = [&](resource of, double p) { out.of[at(of)] = p; };
  if (c.counters) {
    if (!rates.dram_read || !rates.dram_write || !rates.l2 || !rates.atomics) return std::nullopt;
    set(resource::memory,
        (c.counters->dram_read_bytes / *rates.dram_read + c.counters->dram_write_bytes / *rates.dram_write) /
            s);
    set(resource::l2, c.counters->l2_requests * bytes_per_request / *rates.l2 / s);
    set(resource::atomics, c.counters->reduction_sectors / sectors_per_atomic / *rates.atomics / s);
    set(resource::tensor, c.counters->tensor_share);
    set(resource::issue, c.counters->issue_share);
    return out;
  }
  if (!c.floors) return std::nullopt;
  out.counted = false;
  set(resource::memory, c.cache_state == "hot" ? 0 : c.floors->bytes / c.us);
  set(resource::l2, c.cache_state == "hot" ? c.floors->bytes / c.us : 0);
  set(resource::atomics, c.floors->atomics / c.us);
  set(c.floors->tensor ? resource::tensor : resource::issue, c.floors->flops / c.us);
  return out;
}

by_resource<double> shares_of(const pressures& from, const weights& w) {
  const auto cube = [](double p) { return cubed(std::clamp(p, least_pressure, most_pressure)); };
  const double tensor = w.tensor * from.of[at(resource::tensor)],
               issue = w.issue * from.of[at(resource::issue)];
  by_resource<double> out = {};
  for (const resource of : {resource::memory, resource::l2, resource::atomics})
    out[at(of)] = cube(from.of[at(of)]);
  out[at(tensor > issue ? resource::tensor : resource::issue)] = cube(std::max(tensor, issue));
  out[at(resource::waits)] = cubed(w.kappa);
  double sum = 0;
  for (const double one : out) sum += one;
  for (double& one : out) one /= sum;
  return out;
}

by_resource<double> log_ratios(const chip_rates& ran_on, const chip_rates& other) {
  const auto sheets = [&](double chip_sheet::*of) { return std::log(ran_on.sheet.*of / (other.sheet.*of)); };
  const double clock = sheets(&chip_sheet::sm_mhz);
  const auto measured = [&](std::optional<double> measured_rates::*of, double otherwise) {
    if (!ran_on.measured || !other.measured) return otherwise;
    const auto &a = (*ran_on.measured).*of, &b = (*other.measured).*of;
    return a && b ? std::log(*a / *b) : otherwise;
  };
  by_resource<double> out = {};
  out[at(resource::memory)] = measured(&measured_rates::dram_copy, sheets(&chip_sheet::dram_bytes_per_s));
  out[at(resource::l2)] =
      (measured(&measured_rates::l2, clock) + measured(&measured_rates::random_sectors, clock)) / 2;
  out[at(resource::atomics)] = measured(&measured_rates::atomics, clock);
  out[at(resource::tensor)] = sheets(&chip_sheet::tensor_flops_per_s);
  out[at(resource::issue)] = sheets(&chip_sheet::fma_flops_per_s);
  out[at(resource::waits)] = clock;
  return out;
}

double longer_launches_us(const seen_case& c, const chip_rates& ran_on, const chip_rates& other) {
  if (!ran_on.measured || !other.measured) return 0;
  const measured_rates &a = *ran_on.measured, &b = *other.measured;
  if (!a.launch_us || !b.launch_us || !a.launch_hot_us || !b.launch_hot_us) return 0;
  const double hot = *b.launch_hot_us - *a.launch_hot_us, first = *b.launch_us - *a.launch_us;
  const auto further = static_cast<double>(c.launches - 1);
  return (c.cache_state == "cold-clean" ? first : hot) + further * hot;
}

double transfer::predicted(const weights& w) const {
  const by_resource<double> shares = shares_of(pressed, w);
  double ratio = 0;
  for (std::size_t i = 0; i < resources; ++i) ratio += shares[i] * ratios[i];
  // A launch that costs less cannot make up more than half of the case.
  return std::log(std::max(std::exp(ratio) + launches_us / us, std::exp(ratio) / 2));
}

weights fitted(const std::vector<transfer>& all, const std::string& held_out) {
  std::map<std::string, double> count;
  for (const transfer& one : all) ++count[one.operation];
  std::vector<weighted_transfer> counting;
  for (const transfer& one : all)
    if (one.operation != held_out) counting.push_back({&one, cases_an_operation / count[one.operation]});
  vector3 v = prior;
  double least = loss(counting, v), damping = 1e-3;
  constexpr int most_steps = 60;
  for (int i = 0; i < most_steps && damping < 1e6; ++i) {
    const vector3 step = step_from(counting, v, damping);
    vector3 next = v;
    for (std::size_t j = 0; j < fitted_weights; ++j) next[j] += step[j];
    const double found = loss(counting, next);
    if (found < least) {
      if (least - found < 1e-10 * least) break;
      v = next;
      least = found;
      damping /= 5;
    } else {
      damping *= 10;
    }
  }
  return weights_of(v);
}

}  // namespace ablate::predict
