#include "reports/views/case_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/record/facts.h"
#include "base/text/bad_input.h"

namespace ablate::reports {

bool are_launches_of_one(const record& shown, const record& other) {
  const auto fact = [](const nlohmann::ordered_json& of, const char* name) {
    return of.value(name, nlohmann::ordered_json());
  };
  for (const char* name : {"kind", "name", "driver", "ecc", "mig", "power_cap_w"})
    if (fact(shown.device, name) != fact(other.device, name)) return false;
  return shown.suite_hash == other.suite_hash && shown.seed == other.seed &&
         shown.build.source_hash == other.build.source_hash;
}

void expect_launch_of(const record& first, const record& other) {
  if (!are_launches_of_one(first, other))
    throw bad_input(
        other.path.string(), "",
        fmt::format("expected a launch of the suite and build of {} on the same model of device; keep "
                    "records of other runs in another folder",
                    first.path.string()));
}

void expect_another_launch(const std::vector<record>& before, const record& next) {
  for (const record& other : before)
    if (other.date == next.date && fact(other.device, "uuid") == fact(next.device, "uuid"))
      throw bad_input(
          next.path.string(), "/context/date",
          fmt::format("expected each record once, but {} is the same launch", other.path.string()));
}

case_launches::case_launches(const record& shown, const std::vector<const record*>& more)
    : count_(1 + more.size()) {
  for (const measured_case& c : shown.cases) cases_[c.name] = {{0, &c, gpu_of(shown, c)}};
  for (std::size_t i = 0; i < more.size(); ++i)
    for (const measured_case& c : more[i]->cases) {
      const auto like = cases_.find(c.name);
      if (like == cases_.end()) continue;
      const measured_case& first = *like->second.front().of;
      if (first.time.method == c.time.method && input_hash(first) == input_hash(c))
        like->second.push_back({i + 1, &c, gpu_of(*more[i], c)});
    }
}

/// A run on several GPUs has the one of each case.
std::uint64_t case_launches::gpu_of(const record& r, const measured_case& c) {
  const std::string gpu = c.specimen.empty() ? fact(r.device, "uuid").value_or("") : c.specimen;
  return gpus_.emplace(gpu, gpus_.size()).first->second;
}

std::vector<launched_case> case_launches::of(const measured_case& shown) const {
  return cases_.at(shown.name);
}

double case_launches::moved_pct(const measured_case& shown) const {
  const std::vector<launched_case> launched = of(shown);
  const auto [least, most] = std::minmax_element(
      launched.begin(), launched.end(),
      [](const auto& a, const auto& b) { return a.of->time.median_us < b.of->time.median_us; });
  return 100 * (most->of->time.median_us / least->of->time.median_us - 1);
}

std::vector<launched_pair> pairs_of(const case_launches& launches, const measured_case& first,
                                    const measured_case& second) {
  const std::vector<launched_case> others = launches.of(second);
  std::vector<launched_pair> out;
  for (const launched_case& c : launches.of(first)) {
    const auto other = std::find_if(others.begin(), others.end(),
                                    [&](const launched_case& o) { return o.launch == c.launch; });
    if (other != others.end()) out.push_back({c.launch, c.of, other->of, other->gpu});
  }
  return out;
}

double log_error(const measured_case::timing& time) {
  constexpr double normal_95 = 1.96;
  return std::log(time.ci95_high_us / time.ci95_low_us) / 2 / normal_95;
}

gate::launch_ratio ratio_over_launches(const case_launches& launches, const measured_case& from,
                                       const measured_case& to, double confidence) {
  return ratio_over_launches(pairs_of(launches, from, to), confidence);
}

gate::launch_ratio ratio_over_launches(const std::vector<launched_pair>& pairs, double confidence) {
  std::vector<gate::launched_ratio> ratios;
  for (const launched_pair& pair : pairs)
    ratios.push_back({pair.gpu, std::log(pair.second->time.median_us / pair.first->time.median_us),
                      std::hypot(log_error(*pair.first), log_error(*pair.second))});
  return gate::ratio_over_launches(ratios, confidence);
}

std::string moved_mark(double moved_pct) {
  return moved_pct > unsteady_pct ? fmt::format(" † {:.0f} %", moved_pct) : "";
}

}  // namespace ablate::reports
