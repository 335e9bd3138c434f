#include "reports/views/leading.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ablate::reports {

std::string fastest_on(const comparable_cases& row) {
  if (row.by_variant.size() < 2) return "";
  return std::min_element(
             row.by_variant.begin(), row.by_variant.end(),
             [](const auto& a, const auto& b) { return a.second->time.median_us < b.second->time.median_us; })
      ->first;
}

std::vector<std::string> fastest_first(const std::vector<std::string>& variants,
                                       const std::vector<const comparable_cases*>& workloads) {
  struct standing {
    std::size_t wins = 0, workloads = 0;
    double logs = 0;  ///< of the time over the fastest's
    double distance() const { return workloads > 0 ? logs / static_cast<double>(workloads) : INFINITY; }
  };
  std::map<std::string, standing> standings;
  for (const comparable_cases* row : workloads) {
    const measured_case* fastest = nullptr;
    for (const std::string& variant : variants)
      if (const measured_case* c = row->of(variant);
          c && (!fastest || c->time.median_us < fastest->time.median_us))
        fastest = c;
    for (const std::string& variant : variants)
      if (const measured_case* c = row->of(variant)) {
        standing& of = standings[variant];
        of.wins += c == fastest;
        ++of.workloads;
        of.logs += std::log(c->time.median_us / fastest->time.median_us);
      }
  }
  std::vector<std::string> out = variants;
  std::stable_sort(out.begin(), out.end(), [&](const std::string& a, const std::string& b) {
    const standing &first = standings[a], &second = standings[b];
    return first.wins != second.wins ? first.wins > second.wins : first.distance() < second.distance();
  });
  return out;
}

std::vector<std::string> leading_variants(const operation_view& view) {
  std::vector<const comparable_cases*> compared;
  for (const comparable_cases& row : view.rows)
    if (row.by_variant.size() > 1) compared.push_back(&row);
  std::vector<std::string> out = fastest_first(view.variants, compared);
  const auto baseline = std::find(out.begin(), out.end(), view.baseline);
  if (baseline != out.end()) std::rotate(out.begin(), baseline, baseline + 1);
  return out;
}

}  // namespace ablate::reports
