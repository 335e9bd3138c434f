#include "reports/views/ranking.h"

#include <algorithm>

namespace ablate::reports {

ranking ranking_of(const operation_view& view, const comparable_cases& row,
                   const std::vector<std::string>& among) {
  ranking out{};
  for (const auto& [variant, measured] : row.by_variant)
    if (among.empty() || std::find(among.begin(), among.end(), variant) != among.end())
      out.variants.push_back({measured, 0, false, {}, false});
  std::stable_sort(out.variants.begin(), out.variants.end(), [](const auto& a, const auto& b) {
    return a.measured->time.median_us < b.measured->time.median_us;
  });
  const measured_case* reference = row.of(view.baseline);
  out.over_baseline = reference != nullptr;
  if (!reference && out.variants.size() > 1) reference = out.variants[1].measured;
  if (reference) out.reference = reference->variant;
  for (std::size_t i = 0; i < out.variants.size(); ++i) {
    ranked_variant& v = out.variants[i];
    const auto& fastest = out.variants.front().measured->time;
    v.rank = i + 1;
    v.level_with_fastest = i > 0 && v.measured->time.ci95_low_us <= fastest.ci95_high_us;
    if (!reference || v.measured == reference) continue;
    v.factor = speed_up_between(*reference, *v.measured);
    v.unequal_quality = view.differ_in_quality(*reference, *v.measured);
  }
  return out;
}

}  // namespace ablate::reports
