#include "reports/sections/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/statistics/quantile.h"
#include "base/text/text.h"
#include "reports/plots/vega.h"
#include "reports/views/case_launches.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;
using percents = std::vector<double>;

/// One of the kinds of noise.
struct noise_kind {
  const char* field;
  const char* title;
  std::optional<double> (*of)(const case_noise&);
};

constexpr noise_kind noise_kinds[] = {
    {"within_pct", "within this launch", [](const case_noise& c) { return std::optional(c.within_pct); }},
    {"launches_pct", "between launches", [](const case_noise& c) { return c.launches_pct; }},
    {"floor_pct", "A/A noise floor", [](const case_noise& c) { return c.floor_pct; }}};

std::optional<double> between_launches(const measured_case& shown, const case_launches& launches) {
  percents medians;
  for (const launched_case& c : launches.of(shown)) medians.push_back(c.of->time.median_us);
  if (medians.size() < 2) return std::nullopt;
  const double middle = gate::median(medians);
  double farthest = 0;
  for (const double us : medians) farthest = std::max(farthest, std::fabs(us / middle - 1));
  return 100 * farthest;
}

percents figures_of(const record_noise& from, const std::string& operation, const noise_kind& kind) {
  percents out;
  for (const case_noise& c : from.cases)
    if (const auto pct = kind.of(c); pct && c.of->operation == operation) out.push_back(*pct);
  return out;
}

std::vector<std::string> sentences(const record_noise& noise, const gate::noise_floors* floors) {
  std::vector<std::string> out = {
      "**Within this launch** is half of the 95 % interval of a case's median. It covers differences between "
      "samples, not those between process launches, builds, hours or GPUs: addresses of buffers and code, "
      "clocks, heat, neighbors."};
  if (noise.launches > 1)
    out.push_back(fmt::format(
        "**Between launches** is the distance of the farthest of {} launches of this suite and build{} from "
        "their median.",
        noise.launches, noise.gpus > 1 ? fmt::format(", on {} GPUs of the model,", noise.gpus) : ""));
  if (floors)
    out.push_back(
        fmt::format("**A/A noise floor** is the difference between two separately linked builds of one "
                    "source: {} runs of {} pairs of launches on {}. The gate counts nothing below it, and "
                    "nothing below {:g} %; a case whose floor is above {:g} % is too noisy to fail.",
                    floors->runs, floors->pairs, floors->date, noise.least_effect_pct, noise.too_noisy_pct));
  else
    out.emplace_back(
        "Without an A/A run, the difference between builds and launches of one source is unknown: `ablate "
        "dev calibrate` measures it, and `ablate report RECORD --floors FILE` shows it here.");
  return out;
}

}  // namespace

record_noise noise_of(const record& r, const std::vector<const record*>& more,
                      const gate::noise_floors* floors, const gate::gate_policy& policy) {
  record_noise out;
  const case_launches launches(r, more);
  out.launches = launches.count();
  out.gpus = launches.gpus();
  out.least_effect_pct = policy.delta.minimum_pct;
  out.too_noisy_pct = policy.delta.too_noisy_pct;
  out.has_floors = floors != nullptr;
  std::vector<std::string> names;
  for (const measured_case& c : r.cases) {
    if (c.ceiling) continue;
    names.push_back(c.name);
    case_noise& to = out.cases.emplace_back(case_noise{
        &c, 100 * c.time.half_width_us() / c.time.median_us, between_launches(c, launches), {}, {}});
    if (!floors) continue;
    to.floor_pct = floors->floor_pct(c.name);
    if (const auto found = floors->cases.find(c.name); found != floors->cases.end())
      for (const double effect : found->second.effects) to.effects_pct.push_back(100 * std::expm1(effect));
  }
  out.coverage = sentences(out, floors);
  if (floors)
    for (std::string& note : gate::check_floors(*floors, r, policy, names))
      out.coverage.push_back(std::move(note));
  return out;
}

table noise_table(const record_noise& from) {
  table out{{"operation", "noise", "cases", "median %", "90th percentile %", "greatest %"}, 2, {}};
  std::vector<std::string> operations;
  for (const case_noise& c : from.cases)
    if (std::find(operations.begin(), operations.end(), c.of->operation) == operations.end())
      operations.push_back(c.of->operation);
  for (const std::string& operation : operations)
    for (const noise_kind& kind : noise_kinds) {
      const percents all = figures_of(from, operation, kind);
      if (all.empty()) continue;
      out.lines.push_back(
          {{operation, kind.title, std::to_string(all.size()), fmt::format("{:.2f}", gate::median(all)),
            fmt::format("{:.2f}", gate::quantile(all, 0.9)), fmt::format("{:.2f}", gate::quantile(all, 1))},
           {}});
    }
  return out;
}

std::vector<plot> noise_plots(const record& r, const record_noise& from) {
  if (from.cases.empty()) return {};
  ordered_json rows = ordered_json::array();
  std::vector<panel> panels;
  for (const noise_kind& kind : noise_kinds)
    if (std::any_of(from.cases.begin(), from.cases.end(),
                    [&](const auto& c) { return kind.of(c).has_value(); }))
      panels.push_back({kind.field, kind.title});
  for (const case_noise& c : from.cases) {
    ordered_json row = {{"case", c.of->name}, {"group", c.of->operation}, {"us", c.of->time.median_us}};
    for (const noise_kind& kind : noise_kinds) {
      const auto pct = kind.of(c);
      row[kind.field] = pct ? ordered_json(*pct) : ordered_json(nullptr);
    }
    rows.push_back(std::move(row));
  }
  const plot_heading heading{
      r.suite_name + ": noise",
      r.device_name,
      "",
      {},
      "a mark is a case; below the dashed lines no effect counts, above them no case can be gated"};
  const std::vector<mark_line> lines = {
      {from.least_effect_pct, fmt::format("least effect that counts, {:g} %", from.least_effect_pct)},
      {from.too_noisy_pct, fmt::format("too noisy to gate, {:g} %", from.too_noisy_pct)}};
  return {{"noise", r.suite_name + ": noise",
           percent_panels(heading, panels, lines, "operation", std::move(rows))}};
}

}  // namespace ablate::reports
