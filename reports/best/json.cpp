#include <fmt/format.h>

#include <utility>

#include "base/text/or_null.h"
#include "reports/best/outputs.h"

namespace ablate::best {
namespace {

using nlohmann::ordered_json;

ordered_json variant_json(const ranked_workload& w, const reports::ranked_variant& v) {
  using reports::merit;
  const measured_case::timing& time = v.measured->time;
  ordered_json factor;
  if (v.factor)
    factor = {{"over", w.ranked.reference},
              {"ratio", v.factor->ratio},
              {"low", v.factor->low},
              {"high", v.factor->high},
              {"in_cycles", reports::or_null(v.factor->in_cycles)}};
  ordered_json out{{"rank", reports::or_null(v.rank)}, {"variant", v.measured->variant},
                   {"case", v.measured->name},         {"median_us", time.median_us},
                   {"ci95_low_us", time.ci95_low_us},  {"ci95_high_us", time.ci95_high_us}};
  if (w.ranked.has_energy())
    for (const auto& [of, unit] : {std::pair(merit::energy, "mj"), {merit::energy_delay, "mj_us"}}) {
      const std::string name = of == merit::energy ? "energy" : "energy_delay";
      const auto found = reports::merit_of(*v.measured, of);
      out[fmt::format("{}_{}", name, unit)] = found ? ordered_json(found->value) : ordered_json();
      out[fmt::format("{}_low_{}", name, unit)] = found ? ordered_json(found->low) : ordered_json();
      out[fmt::format("{}_high_{}", name, unit)] = found ? ordered_json(found->high) : ordered_json();
    }
  out["level_with_fastest"] = v.level_with_best;
  out["unequal_quality"] = v.unequal_quality;
  out["factor"] = std::move(factor);
  return out;
}

ordered_json workload_json(const ranked_workload& w) {
  ordered_json axes = ordered_json::object();
  for (const auto& [axis, value] : w.axes) axes[axis] = value;
  const std::string mark = w.view->input_mark(w.axes);
  ordered_json out{{"operation", w.view->name},
                   {"axes", std::move(axes)},
                   {"cache_state", w.cache_state},
                   {"baseline", w.view->baseline},
                   {"stands_in_for", ordered_json::array()},
                   {"input_mark", mark.empty() ? ordered_json(nullptr) : ordered_json(mark.substr(1))},
                   {"variants", ordered_json::array()},
                   {"not_measured", ordered_json::array()}};
  for (const missing_size& size : w.stands_in_for)
    out["stands_in_for"].push_back({{"axis", size.axis},
                                    {"asked", size.asked},
                                    {"below", reports::or_null(size.below)},
                                    {"above", reports::or_null(size.above)}});
  for (const reports::ranked_variant& v : w.ranked.variants) out["variants"].push_back(variant_json(w, v));
  for (const unmeasured_case* u : w.unmeasured)
    out["not_measured"].push_back(
        {{"variant", u->variant}, {"case", u->name}, {"status", u->status}, {"reason", u->reason}});
  return out;
}

}  // namespace

ordered_json answer_json(const answer& of) {
  ordered_json out{{"best_schema", "1.3.0"},         {"record", of.from->path.string()},
                   {"device", of.from->device_name}, {"date", of.from->date},
                   {"suite", of.from->suite_name},   {"launches", of.launches},
                   {"ranked_by", name_of(of.by)},    {"workloads", ordered_json::array()}};
  for (const ranked_workload& w : of.workloads) out["workloads"].push_back(workload_json(w));
  return out;
}

}  // namespace ablate::best
