#include "reports/html_data.h"

#include <algorithm>
#include <map>

#include "reports/compact_counters.h"
#include "reports/dispatch.h"
#include "reports/metrics.h"
#include "reports/record_tables.h"
#include "reports/text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

using case_indices = std::map<std::string, std::size_t>;

/// A plot's data names cases by their index: ids are long, and each stands in many plots.
void shorten_cases(ordered_json& rows, const case_indices& indices) {
  for (ordered_json& row : rows) row["case"] = indices.at(row["case"].get<std::string>());
}

ordered_json plot_json(const plot& p, const char* kind, const case_indices& indices) {
  ordered_json specification = p.specification;
  specification.erase("$schema");
  if (specification.contains("data")) shorten_cases(specification["data"]["values"], indices);
  if (specification.contains("datasets"))
    for (ordered_json& rows : specification["datasets"]) shorten_cases(rows, indices);
  return {{"kind", kind}, {"name", p.name}, {"title", p.title}, {"specification", std::move(specification)}};
}

ordered_json table_json(const table& from, const case_indices& indices) {
  ordered_json lines = ordered_json::array();
  for (const table_line& line : from.lines) {
    ordered_json cases = ordered_json::array();
    for (const std::string& name : line.cases) cases.push_back(indices.at(name));
    lines.push_back({{"cells", line.cells}, {"cases", std::move(cases)}});
  }
  return {{"header", from.header}, {"left", from.left}, {"lines", std::move(lines)}};
}

ordered_json ablation_json(const ablation_tables& from, const case_indices& indices) {
  ordered_json waterfalls = ordered_json::array();
  for (const waterfall_table& w : from.waterfalls)
    waterfalls.push_back({{"heading", w.heading}, {"steps", table_json(w.steps, indices)}});
  return {{"how", from.how},
          {"worths", table_json(from.worths, indices)},
          {"more_worths", from.more_worths},
          {"waterfalls", std::move(waterfalls)},
          {"without_waterfall", from.without_waterfall},
          {"crossovers", table_json(from.crossovers, indices)},
          {"interactions", table_json(from.interactions, indices)}};
}

ordered_json operation_json(const record& r, const operation_view& view, const operation_plots& plots,
                            const case_indices& indices) {
  ordered_json variants = ordered_json::object();
  for (const std::string& variant : view.variants) variants[variant] = "";
  for (const auto& facts : r.operations)
    if (facts.name == view.name)
      for (const auto& [variant, description] : facts.variants)
        if (variants.contains(variant)) variants[variant] = description;
  ordered_json axes = ordered_json::array();
  for (const std::string& axis : view.axes)
    axes.push_back({{"name", axis},
                    {"title", view.axis_title(axis)},
                    {"values", view.values(axis)},
                    {"integer", view.is_integer(axis)}});
  ordered_json usual = ordered_json::object();
  if (view.has_many_axes())
    for (const auto& [axis, value] : usual_values(view, view.varying_axes())) usual[axis] = value;
  ordered_json rows = ordered_json::array();
  for (const comparable_cases& row : view.rows) {
    ordered_json& cases = rows.emplace_back(ordered_json::object());
    for (const auto& [variant, c] : row.by_variant) cases[variant] = indices.at(c->name);
  }
  ordered_json all = ordered_json::array();
  const auto add = [&](const char* kind, const std::vector<plot>& of_kind) {
    for (const plot& p : of_kind) all.push_back(plot_json(p, kind, indices));
  };
  add("waterfall", plots.waterfalls);
  add("speed_up", plots.speed_up);
  add("quality", plots.quality);
  add("picture", plots.pictures);
  add("scaling", plots.scaling);
  add("metrics", plots.metrics);
  add("kernels", plots.kernels);
  add("timeline", plots.timelines);
  add("floor", plots.floor);
  add("merging", plots.merging);
  add("trend", plots.trends);
  return {{"name", view.name},
          {"description", view.description},
          {"baseline", view.baseline},
          {"variants", std::move(variants)},
          {"axes", std::move(axes)},
          {"quality", view.quality},
          {"counted", view.counted},
          {"usual", std::move(usual)},
          {"swept", view.swept ? ordered_json(*view.swept) : ordered_json(nullptr)},
          {"scaling_left_out", plots.scaling_left_out},
          {"rows", std::move(rows)},
          {"plots", std::move(all)},
          {"ablation", ablation_json(plots.ablation, indices)},
          {"policies", table_json(policy_table(view), indices)},
          {"kernels", table_json(kernel_table(r, view), indices)}};
}

/// What is computed of a case, in the words of the other forms of the report.
ordered_json figures_json(const record& r, const measured_case& c) {
  ordered_json out = ordered_json::object();
  if (const auto items = c.items()) out["points_per_s"] = *items / (c.time.median_us * 1e-6);
  if (c.floors && c.floors->time_over_floor) out["over_floor"] = *c.floors->time_over_floor;
  for (const metric& m : case_metrics())
    if (const auto value = m.of(r, c)) out[std::string(m.name)] = *value;
  return out;
}

void add_speed_ups(const std::vector<operation_view>& views, const case_indices& indices,
                   ordered_json& cases) {
  for (const operation_view& view : views)
    for (const comparable_cases& row : view.rows)
      for (const std::string& variant : view.variants)
        if (const auto up = view.speed_up_of(row, variant)) {
          ordered_json& here = cases[indices.at(row.of(variant)->name)]["speed_up"];
          here = {{"ratio", up->ratio},
                  {"low", up->low},
                  {"high", up->high},
                  {"over", indices.at(row.of(view.baseline)->name)}};
          if (view.differs_in_quality(row, variant)) here["unequal"] = true;
        }
}

/// Lists of counter names, each kept once.
class counter_shapes {
 public:
  std::size_t of(const ordered_json& values) {
    ordered_json names = ordered_json::array();
    for (const auto& [name, value] : values.items()) names.push_back(name);
    const auto [found, is_new] = known_.emplace(names.dump(), all_.size());
    if (is_new) all_.push_back(std::move(names));
    return found->second;
  }
  const ordered_json& all() const { return all_; }

 private:
  std::map<std::string, std::size_t> known_;
  ordered_json all_ = ordered_json::array();
};

/// {name: value, …} as {shape, values}.
ordered_json values_json(const ordered_json& values, counter_shapes& shapes) {
  ordered_json numbers = ordered_json::array();
  for (const ordered_json& value : values) numbers.push_back(value);
  return {{"shape", shapes.of(values)}, {"values", std::move(numbers)}};
}

ordered_json counters_json(ordered_json counters, counter_shapes& shapes) {
  ordered_json out = values_json(counters["values"], shapes);
  for (const char* key : {"set", "reason", "coherent", "output"})
    if (counters.contains(key)) out[key] = counters[key];
  // Many counters miss for one reason.
  ordered_json missing = ordered_json::object();
  if (counters.contains("missing"))
    for (const auto& [counter, reason] : counters["missing"].items())
      missing[reason.get<std::string>()].push_back(counter);
  out["missing"] = std::move(missing);
  out["kernels"] = ordered_json::array();
  if (counters.contains("kernels"))
    for (const ordered_json& kernel : counters["kernels"]) {
      ordered_json values = values_json(kernel["values"], shapes);
      values["name"] = kernel["name"];
      out["kernels"].push_back(std::move(values));
    }
  return out;
}

/// The record's own words on a case, less what Google Benchmark's form repeats and what the plots have.
ordered_json case_json(ordered_json entry, counter_shapes& shapes) {
  for (const char* key : {"run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations",
                          "real_time", "cpu_time", "time_unit", "status", "timeline", "picture"})
    entry.erase(key);
  entry["counters"] = counters_json(std::move(entry["counters"]), shapes);
  return entry;
}

}  // namespace

ordered_json html_data(const record& r, const std::vector<operation_view>& views,
                       const std::vector<operation_plots>& plots) {
  case_indices indices;
  for (std::size_t i = 0; i < r.cases.size(); ++i) indices.emplace(r.cases[i].name, i);

  const ordered_json file = parse_record_file(r.path);
  counter_shapes shapes;
  ordered_json cases = ordered_json::array();
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    cases.push_back(case_json(file["benchmarks"][i], shapes));
    cases.back()["figures"] = figures_json(r, r.cases[i]);
  }
  add_speed_ups(views, indices, cases);

  ordered_json facts = ordered_json::array();
  for (const auto& [name, value] : record_facts(r)) facts.push_back({name, value});
  ordered_json metrics = ordered_json::array();
  for (const metric& m : case_metrics())
    metrics.push_back({{"name", m.name}, {"title", m.title}, {"formula", m.formula}});
  ordered_json operations = ordered_json::array();
  for (std::size_t i = 0; i < views.size(); ++i)
    operations.push_back(operation_json(r, views[i], plots[i], indices));
  return {{"suite", r.suite_name},
          {"description", r.suite_description},
          {"device", r.device_name},
          {"architecture", r.device.value("architecture", "")},
          {"facts", std::move(facts)},
          {"evidence", file["context"]["ablate"]["evidence"]},
          {"cache_states", table_json(cache_state_table(r), indices)},
          {"ceilings", table_json(ceiling_table(r), indices)},
          {"how", how_measured(r)},
          {"metrics", std::move(metrics)},
          {"operations", std::move(operations)},
          {"cases", std::move(cases)},
          {"shapes", shapes.all()},
          {"unmeasured", file["unmeasured"]}};
}

}  // namespace ablate::reports
