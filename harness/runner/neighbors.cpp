#include "harness/runner/neighbors.h"

#include <algorithm>
#include <cmath>

#include "base/statistics/quantile.h"

namespace ablate {

namespace {

constexpr const char *newest_tensor_cores = "tensor_bf16_wgmma_flops",
                     *older_tensor_cores = "tensor_bf16_flops";
constexpr const char* probed_ceilings[] = {
    "launch",           "l2_bytes", "dram_read_bytes", "random_read_sectors_128mib", newest_tensor_cores,
    older_tensor_cores,  // where there are no newer ones
    "fma_f32_flops"};
// What draws most power comes first.
constexpr const char* load_ceilings[] = {newest_tensor_cores, older_tensor_cores, "dram_copy_bytes",
                                         "launch"};
constexpr bool abba[] = {false, true, true, false};  // whether the neighbors are busy

std::optional<std::size_t> find_calibration(const std::vector<keyed_case>& cases, const std::string& specimen,
                                            const std::string& ceiling) {
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].spec.ceiling == ceiling && cases[i].specimen == specimen && !cases[i].spec.not_applicable)
      return i;
  return std::nullopt;
}

std::vector<double> ratios_of(const neighbor_influence& of) {
  std::vector<double> out;
  for (std::size_t i = 0; i < of.alone_us.size(); ++i) out.push_back(of.beside_us[i] / of.alone_us[i]);
  return out;
}

double rounded(double ratio) { return std::round(ratio * 1e5) / 1e5; }

std::vector<neighbor_facts::change> changes_of(const std::vector<neighbor_influence>& of) {
  std::vector<neighbor_facts::change> out;
  for (const neighbor_influence& c : of)
    out.push_back({c.name, c.alone_us, c.beside_us, rounded(c.ratio()), rounded(c.low()), rounded(c.high()),
                   c.matters()});
  return out;
}

bool any_matters(const std::vector<neighbor_influence>& of) {
  return std::any_of(of.begin(), of.end(), [](const neighbor_influence& c) { return c.matters(); });
}

}  // namespace

double neighbor_influence::ratio() const { return gate::median(ratios_of(*this)); }

double neighbor_influence::low() const {
  const std::vector<double> all = ratios_of(*this);
  return *std::min_element(all.begin(), all.end());
}

double neighbor_influence::high() const {
  const std::vector<double> all = ratios_of(*this);
  return *std::max_element(all.begin(), all.end());
}

bool neighbor_influence::matters() const {
  return std::fabs(ratio() - 1) > neighbor_limit_pct / 100 && !cannot_matter();
}

// More times only widen either range.
bool neighbor_influence::cannot_matter() const {
  if (alone_us.empty() || beside_us.empty()) return false;
  const auto [alone_low, alone_high] = std::minmax_element(alone_us.begin(), alone_us.end());
  const auto [beside_low, beside_high] = std::minmax_element(beside_us.begin(), beside_us.end());
  return *beside_low <= *alone_high && *beside_high >= *alone_low;
}

std::optional<neighbor_probe> neighbor_probe_of(const std::vector<keyed_case>& cases,
                                                const std::string& specimen) {
  neighbor_probe out;
  const bool has_wgmma = find_calibration(cases, specimen, newest_tensor_cores).has_value();
  for (const char* ceiling : probed_ceilings)
    if (has_wgmma && ceiling == older_tensor_cores)
      continue;
    else if (const auto found = find_calibration(cases, specimen, ceiling))
      out.cases.push_back(*found);
  for (const char* ceiling : load_ceilings)
    if (const auto found = find_calibration(cases, specimen, ceiling)) {
      out.load = *found;
      return out.cases.empty() ? std::nullopt : std::optional(out);
    }
  return std::nullopt;
}

sampling neighbor_sampling(sampling of_suite) {
  // A batch of a calibration repeats to a thousandth: ten tell a percent where the suite's thirty take thrice
  // as long. Where they do not repeat so well, sampling goes on for as long as it may.
  constexpr int enough_if_precise = 10;
  constexpr double longest_seconds = 0.06;
  of_suite.minimum_samples = std::min(of_suite.minimum_samples, enough_if_precise);
  of_suite.maximum_seconds = std::min(of_suite.maximum_seconds, longest_seconds);
  return of_suite;
}

std::optional<std::vector<neighbor_influence>> measure_influence(
    const std::vector<std::string>& names, int rounds, const std::function<double(std::size_t)>& time_us,
    const std::function<bool(bool)>& set_busy) {
  std::vector<neighbor_influence> out;
  for (const std::string& name : names) out.push_back({name, {}, {}});
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!out[i].cannot_matter()) open.push_back(i);
    if (open.empty()) break;
    for (const bool busy : abba) {
      if (!set_busy(busy)) return std::nullopt;
      for (const std::size_t i : open) (busy ? out[i].beside_us : out[i].alone_us).push_back(time_us(i));
    }
  }
  return out;
}

neighbor_facts facts_of(const std::vector<neighbor_influence>& of, const std::vector<std::string>& specimens,
                        const std::string& load) {
  return {.specimens = specimens,
          .load = load,
          .limit_pct = neighbor_limit_pct,
          .in_turns = any_matters(of),
          .cases = changes_of(of)};
}

neighbor_facts::ending ending_of(const std::vector<neighbor_influence>& of, const std::string& specimen) {
  return {specimen, any_matters(of), changes_of(of)};
}

bool is_of_specimens(const neighbor_facts& of, std::vector<std::string> specimens) {
  std::vector<std::string> found = of.specimens;
  std::sort(found.begin(), found.end());
  std::sort(specimens.begin(), specimens.end());
  return found == specimens;
}

}  // namespace ablate
