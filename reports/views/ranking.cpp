#include "reports/views/ranking.h"

#include <algorithm>

namespace ablate::reports {
namespace {

/// By what counts; then by time those without it.
bool is_better(const ranked_variant& a, const ranked_variant& b, merit by) {
  const auto of_a = merit_of(*a.measured, by), of_b = merit_of(*b.measured, by);
  if (of_a && of_b) return of_a->value < of_b->value;
  if (of_a || of_b) return of_a.has_value();
  return a.measured->time.median_us < b.measured->time.median_us;
}

}  // namespace

std::string_view name_of(merit by) {
  switch (by) {
    case merit::energy:
      return "energy";
    case merit::energy_delay:
      return "energy-delay";
    case merit::time:
      break;
  }
  return "time";
}

std::optional<merit_interval> merit_of(const measured_case& c, merit by) {
  const measured_case::timing& time = c.time;
  if (by == merit::time) return merit_interval{time.median_us, time.ci95_low_us, time.ci95_high_us};
  if (!c.energy) return std::nullopt;
  const double mj = c.energy->launch_mj(), half = c.energy->half_width_mj();
  const double low = std::max(mj - half, 0.0), high = mj + half;
  if (by == merit::energy) return merit_interval{mj, low, high};
  return merit_interval{*c.energy_delay_mj_us(), low * time.ci95_low_us, high * time.ci95_high_us};
}

bool ranking::has_energy() const {
  return std::any_of(variants.begin(), variants.end(),
                     [](const ranked_variant& v) { return v.measured->energy.has_value(); });
}

ranking ranking_of(const operation_view& view, const comparable_cases& row, merit by,
                   const std::vector<std::string>& among) {
  ranking out{};
  out.by = by;
  for (const auto& [variant, measured] : row.by_variant)
    if (among.empty() || std::find(among.begin(), among.end(), variant) != among.end())
      out.variants.push_back({measured, {}, false, {}, false});
  std::stable_sort(out.variants.begin(), out.variants.end(),
                   [&](const auto& a, const auto& b) { return is_better(a, b, by); });
  const measured_case* reference = row.of(view.baseline);
  out.over_baseline = reference != nullptr;
  if (!reference && out.variants.size() > 1) reference = out.variants[1].measured;
  if (reference) out.reference = reference->variant;
  for (std::size_t i = 0; i < out.variants.size(); ++i) {
    ranked_variant& v = out.variants[i];
    const auto best = merit_of(*out.variants.front().measured, by), own = merit_of(*v.measured, by);
    if (own) v.rank = i + 1;
    v.level_with_best = i > 0 && own &&
                        (by == merit::time ? view.is_level(*out.variants.front().measured, *v.measured)
                                           : own->low <= best->high);
    if (!reference || v.measured == reference) continue;
    v.factor = view.speed_up_between(*reference, *v.measured);
    v.unequal_quality = view.differ_in_quality(*reference, *v.measured);
  }
  return out;
}

}  // namespace ablate::reports
