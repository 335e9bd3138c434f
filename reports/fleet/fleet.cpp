#include "reports/fleet/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/record/facts.h"
#include "base/statistics/quantile.h"
#include "base/text/bad_input.h"

namespace ablate::fleet {
namespace {

// Calibrations repeat within 2 %, so a smaller gap would divide what is only noise.
constexpr double least_gap_over_spread = 5, least_gap_pct = 2;
constexpr std::size_t least_of_a_kind = 2;
constexpr double least_outlier_pct = 2, least_outlier_deviations = 5;

using times = std::map<std::string, double>;  // by specimen or by calibration

double pct(double ratio) { return 100 * (ratio - 1); }

/// The times of all runs, by specimen and case.
struct runs_of_product {
  std::vector<std::string> cases;  ///< in the runs' order
  std::map<std::string, std::string> ceilings;
  std::map<std::string, std::map<std::string, std::vector<double>>> us;
  std::map<std::string, std::size_t> runs;

  void add(const specimen_run& run) {
    ++runs[run.specimen];
    for (const specimen_run::calibration& c : run.calibrations) {
      if (ceilings.emplace(c.case_name, c.ceiling).second) cases.push_back(c.case_name);
      us[run.specimen][c.case_name].push_back(c.median_us);
    }
  }
};

/// Ceilings are short names, but several cases may measure one.
std::map<std::string, std::string> labels_of(const runs_of_product& all) {
  std::map<std::string, std::size_t> uses;
  for (const auto& [name, ceiling] : all.ceilings) ++uses[ceiling];
  std::map<std::string, std::string> out;
  for (const auto& [name, ceiling] : all.ceilings)
    out[name] = uses.at(ceiling) == 1 ? ceiling : ceiling + ": " + name;
  return out;
}

/// The widest gap of sorted times, and where the upper part begins.
struct gap {
  std::size_t at = 0;
  double ratio = 1, spread = 1;
  bool divides(std::size_t specimens) const {
    return at >= least_of_a_kind && specimens - at >= least_of_a_kind && pct(ratio) >= least_gap_pct &&
           std::log(ratio) > least_gap_over_spread * std::log(spread);
  }
};

gap widest_gap(const std::vector<double>& sorted) {
  gap out;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (const double ratio = sorted[i] / sorted[i - 1]; ratio > out.ratio) out = {i, ratio, 1};
  if (out.at > 0) out.spread = std::max(sorted[out.at - 1] / sorted.front(), sorted.back() / sorted[out.at]);
  return out;
}

/// Divides these specimens of the product into kinds, and those again. Those that cannot be told go to
/// `untold`.
void divide(const std::vector<std::string>& specimens, product& of, std::vector<std::string>& untold) {
  gap best;
  std::string by;
  std::vector<std::pair<double, std::string>> order;
  for (const std::string& calibration : of.calibrations) {
    std::vector<std::pair<double, std::string>> sorted;
    for (const std::string& specimen : specimens) {
      const times& measured = of.us.at(specimen);
      if (const auto found = measured.find(calibration); found != measured.end())
        sorted.emplace_back(found->second, specimen);
    }
    if (2 * sorted.size() <= specimens.size()) continue;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> values;
    for (const auto& [us, specimen] : sorted) values.push_back(us);
    const gap found = widest_gap(values);
    if (!found.divides(values.size()) || found.ratio <= best.ratio) continue;
    best = found, by = calibration, order = std::move(sorted);
  }
  if (by.empty()) {
    of.kinds.push_back({"", specimens, {}});
    std::sort(of.kinds.back().specimens.begin(), of.kinds.back().specimens.end());
    return;
  }
  of.divisions.push_back({by, pct(best.ratio), pct(best.spread)});
  for (const std::string& specimen : specimens)
    if (!of.us.at(specimen).contains(by)) untold.push_back(specimen);
  std::vector<std::string> lower, upper;
  for (std::size_t i = 0; i < order.size(); ++i) (i < best.at ? lower : upper).push_back(order[i].second);
  divide(lower, of, untold);
  divide(upper, of, untold);
}

void describe(kind& k, std::size_t number, const product& of) {
  k.name = number < 26 ? std::string(1, static_cast<char>('A' + number)) : fmt::format("K{}", number + 1);
  for (const std::string& calibration : of.calibrations) {
    std::vector<double> values;
    for (const std::string& specimen : k.specimens)
      if (const auto found = of.us.at(specimen).find(calibration); found != of.us.at(specimen).end())
        values.push_back(found->second);
    if (!values.empty()) k.median_us[calibration] = gate::median(std::move(values));
  }
}

void find_outliers(const kind& k, product& of) {
  for (const auto& [calibration, median] : k.median_us) {
    std::vector<double> deviations;
    for (const std::string& specimen : k.specimens)
      if (const auto d = of.deviation_pct(specimen, calibration)) deviations.push_back(std::fabs(*d));
    const double limit = std::max(least_outlier_pct, least_outlier_deviations * gate::median(deviations));
    for (const std::string& specimen : k.specimens)
      if (const auto d = of.deviation_pct(specimen, calibration); d && std::fabs(*d) > limit)
        of.outliers.push_back({specimen, calibration, *d, limit});
  }
}

product product_of(const std::string& name, const runs_of_product& all) {
  product out;
  out.name = name;
  out.runs = all.runs;
  const auto labels = labels_of(all);
  for (const std::string& c : all.cases) out.calibrations.push_back(labels.at(c));
  std::vector<std::string> specimens;
  for (const auto& [specimen, by_case] : all.us) {
    specimens.push_back(specimen);
    for (const auto& [c, values] : by_case)
      if (const auto label = labels.find(c); label != labels.end())
        out.us[specimen][label->second] = gate::median(values);
    out.us[specimen];
  }
  std::vector<std::string> untold;
  divide(specimens, out, untold);
  for (std::size_t i = 0; i < out.kinds.size(); ++i) describe(out.kinds[i], i, out);
  if (!untold.empty()) out.kinds.push_back({unknown_kind, std::move(untold), {}});
  const std::vector<kind> kinds = out.kinds;
  for (const kind& k : kinds) find_outliers(k, out);
  return out;
}

}  // namespace

const kind& product::kind_of(const std::string& specimen) const {
  return *std::find_if(kinds.begin(), kinds.end(), [&](const kind& k) {
    return std::find(k.specimens.begin(), k.specimens.end(), specimen) != k.specimens.end();
  });
}

std::optional<double> product::deviation_pct(const std::string& specimen,
                                             const std::string& calibration) const {
  const times &measured = us.at(specimen), &medians = kind_of(specimen).median_us;
  const auto found = measured.find(calibration), median = medians.find(calibration);
  if (found == measured.end() || median == medians.end()) return std::nullopt;
  return pct(found->second / median->second);
}

std::vector<specimen_run> runs_of(const record& r) {
  std::vector<specimen_run> out;
  if (!r.on_gpu) return out;
  std::map<std::string, std::string> ceilings;
  specimen_run own{r.device_name, "", {}};
  for (const measured_case& c : r.cases) {
    if (!c.ceiling) continue;
    ceilings.emplace(c.name, *c.ceiling);
    own.calibrations.push_back({c.name, *c.ceiling, c.time.median_us});
  }
  for (const record::part& part : r.parts) {
    out.push_back({r.device_name, part.specimen, {}});
    for (const auto& [name, median_us] : part.calibrations)
      if (const auto found = ceilings.find(name); found != ceilings.end())
        out.back().calibrations.push_back({name, found->second, median_us});
  }
  if (const auto uuid = reports::fact(r.device, "uuid"); r.parts.empty() && uuid) {
    own.specimen = *uuid;
    out.push_back(std::move(own));
  }
  return out;
}

std::vector<product> fleet_of(const std::vector<specimen_run>& runs) {
  std::map<std::string, runs_of_product> by_product;
  for (const specimen_run& run : runs) by_product[run.product].add(run);
  std::vector<product> out;
  for (const auto& [name, all] : by_product)
    if (!all.us.empty()) out.push_back(product_of(name, all));
  return out;
}

std::vector<product> fleet_of(const std::vector<record>& records) {
  std::vector<specimen_run> runs;
  for (const record& r : records)
    for (specimen_run& run : runs_of(r)) runs.push_back(std::move(run));
  std::vector<product> out = fleet_of(runs);
  if (out.empty())
    throw bad_input(records.empty() ? "fleet" : records.front().path.string(), "/context/ablate/device/uuid",
                    "expected a record of a GPU that is named and was calibrated");
  return out;
}

}  // namespace ablate::fleet
