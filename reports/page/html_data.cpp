#include "reports/page/html_data.h"

#include <fmt/format.h>

#include <map>

#include "base/record/bounded.h"
#include "base/record/case_json.h"
#include "base/record/counter_regime.h"
#include "base/record/facts.h"
#include "base/record/floors.h"
#include "base/record/input_marks.h"
#include "base/record/todays_names.h"
#include "base/text/text.h"
#include "reports/explain/explanation.h"
#include "reports/ladder/ladder_text.h"
#include "reports/question/answer_text.h"
#include "reports/views/case_launches.h"
#include "reports/views/dispatch.h"
#include "reports/views/leading.h"
#include "reports/views/metrics.h"
#include "reports/views/record_tables.h"
#include "reports/views/rivals.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

using case_indices = std::map<std::string, std::size_t>;

/// A plot's data names cases by index: ids are long, and each appears in many plots.
void shorten_cases(ordered_json& rows, const case_indices& indices) {
  for (ordered_json& row : rows) row["case"] = indices.at(row["case"].get<std::string>());
}

ordered_json plot_json(const plot& p, std::string_view kind, const case_indices& indices) {
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
          {"without_effect", from.without_effect},
          {"waterfalls", std::move(waterfalls)},
          {"without_waterfall", from.without_waterfall},
          {"crossovers", table_json(from.crossovers, indices)},
          {"interactions", table_json(from.interactions, indices)}};
}

/// What each switch is worth whatever the order, or null.
ordered_json shares_json(const operation_plots& from, const case_indices& indices) {
  if (!from.shares) return nullptr;
  return {{"heading", from.shares->heading},
          {"about", from.shares->about},
          {"table", table_json(from.shares->shares, indices)},
          {"sentences", from.shares->sentences}};
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
  for (const plot_kind& kind : plot_kinds())
    for (const plot& p : plots.*kind.plots) all.push_back(plot_json(p, kind.word, indices));
  return {{"name", view.name},
          {"description", view.description},
          {"baseline", view.baseline},
          {"leading", leading_variants(view)},
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
          {"shares", shares_json(plots, indices)},
          {"advice", plots.advice},
          {"work", table_json(plots.work, indices)},
          {"turns", table_json(turns_table(view), indices)},
          {"about_turns", about_turns},
          {"policies", table_json(policy_table(view), indices)},
          {"kernels", table_json(kernel_table(r, view), indices)}};
}

/// The suite's question with its answer, or null.
ordered_json answer_json(const record_report& from, const case_indices& indices) {
  if (!from.answer) return nullptr;
  const question_answer& answer = *from.answer;
  ordered_json parts = ordered_json::array();
  for (const answered_part& part : answer.parts)
    parts.push_back({{"name", part.view.name}, {"table", table_json(answer_table(answer, part), indices)}});
  return {
      {"text", answer.asked.text},
      {"sentences", answer_sentences(answer)},
      {"about", answer.parts.empty() ? "" : about_answer(answer)},
      {"parts", std::move(parts)},
      {"plot", from.answer_drawn ? plot_json(*from.answer_drawn, "answer", indices) : ordered_json(nullptr)}};
}

/// The suite's ladder, or null.
ordered_json ladder_json_of(const record_report& from, const case_indices& indices) {
  if (!from.ladder) return nullptr;
  return {
      {"title", from.ladder->asked.title},
      {"sentences", ladder_sentences(*from.ladder)},
      {"about", about_ladder(*from.ladder)},
      {"table", table_json(ladder_table(*from.ladder), indices)},
      {"plot", from.ladder_drawn ? plot_json(*from.ladder_drawn, "ladder", indices) : ordered_json(nullptr)}};
}

/// Published figures and tables, made again.
ordered_json exhibits_json(const record_report& from, const case_indices& indices) {
  ordered_json out = ordered_json::array();
  for (const shown_exhibit& exhibit : from.exhibits)
    out.push_back(
        {{"name", exhibit.name},
         {"title", exhibit.title},
         {"sentences", exhibit.sentences},
         {"about", exhibit.about},
         {"table", table_json(exhibit.lines, indices)},
         {"plot", exhibit.drawn ? plot_json(*exhibit.drawn, "exhibit", indices) : ordered_json(nullptr)}});
  return out;
}

/// What is computed for a case, worded as in the other forms of the report.
ordered_json figures_json(const record& r, const measured_case& c) {
  ordered_json out = ordered_json::object();
  if (const auto items = c.items()) out["points_per_s"] = *items / (c.time.median_us * 1e-6);
  if (const auto floor = floor_of(c)) out["over_floor"] = floor->time_over;
  if (const auto model = model_of(c)) out["over_model"] = model->time_over;
  if (c.energy) {
    out["energy_mj"] = c.energy->launch_mj();
    out["energy_delay_mj_us"] = *c.energy_delay_mj_us();
  }
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
          if (up->in_cycles) here["in_cycles"] = *up->in_cycles;
          if (up->launches > 1) here["launches"] = up->launches;
          if (up->is_unsteady()) here["moved_pct"] = up->base_moved_pct;
        }
}

/// Leaves out what is beyond its bound. Returns why, by counter.
std::map<std::string, std::string> leave_within_bounds(ordered_json& values) {
  std::map<std::string, std::string> out;
  if (!values.is_object()) return out;
  for (auto& [counter, value] : values.items())
    if (value.is_number() && !shown_counter(counter, value.get<double>())) {
      out[counter] = beyond_bound(value.get<double>(), max_of_counter(counter).value_or(0));
      value = nullptr;
    }
  return out;
}

ordered_json counters_json(ordered_json counters) {
  std::map<std::string, std::string> beyond = leave_within_bounds(counters["values"]);
  if (counters.contains("kernels"))
    for (ordered_json& kernel : counters["kernels"])
      if (kernel.is_object() && kernel.contains("values"))
        beyond.merge(leave_within_bounds(kernel["values"]));
  ordered_json out = {{"values", counters["values"]}};
  for (const char* key : {"set", "reason", "coherent", "output"})
    if (counters.contains(key)) out[key] = counters[key];
  // Many counters are missing for the same reason.
  ordered_json missing = ordered_json::object();
  if (counters.contains("missing"))
    for (const auto& [counter, reason] : counters["missing"].items())
      missing[reason.get<std::string>()].push_back(counter);
  for (const auto& [counter, why] : beyond) missing["it is " + why].push_back(counter);
  out["missing"] = std::move(missing);
  out["kernels"] = counters.value("kernels", ordered_json::array());
  return out;
}

/// What the page shows of an entry in the record's file, as it is there.
ordered_json case_json(ordered_json entry) {
  for (const char* key : {"run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations",
                          "real_time", "cpu_time", "time_unit", "status", "timeline", "picture"})
    entry.erase(key);
  entry["counters"] = counters_json(std::move(entry["counters"]));
  return entry;
}

/// Declared work next to what was counted.
ordered_json amounts_json(const measured_case& c) {
  ordered_json out = ordered_json::object();
  for (const explain::amount& a : explain::amounts_of(c)) {
    ordered_json& to = out[a.name] = {{"declared", a.declared}, {"by", a.by}};
    if (a.measured) to["counted"] = *a.measured;
    if (const auto waste = a.waste_factor()) to["waste"] = *waste;
  }
  return out;
}

ordered_json number_or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

void add_noise(const record_noise& noise, const case_indices& indices, ordered_json& cases) {
  for (const case_noise& c : noise.cases)
    cases[indices.at(c.of->name)]["noise"] = {{"within_pct", c.within_pct},
                                              {"launches_pct", number_or_null(c.launches_pct)},
                                              {"floor_pct", number_or_null(c.floor_pct)},
                                              {"effects_pct", c.effects_pct}};
}

/// A page draws at most this many samples of a launch, since it may show a thousand cases.
constexpr std::size_t most_drawn_samples = 250;

/// All samples, or as many of them, evenly spaced in their order.
std::vector<double> drawn_samples(const std::vector<double>& all) {
  if (all.size() <= most_drawn_samples) return all;
  std::vector<double> out;
  for (std::size_t i = 0; i < most_drawn_samples; ++i)
    out.push_back(all[i * all.size() / most_drawn_samples]);
  return out;
}

/// Of a case that several launches measured: the time over all, and each launch with its samples.
void add_launches(const record_report& from, ordered_json& cases) {
  if (from.more.empty()) return;
  const case_launches launches(*from.first, from.more);
  for (std::size_t i = 0; i < from.first->cases.size(); ++i) {
    const std::vector<launched_case> all = launches.of(from.first->cases[i]);
    if (all.size() < 2) continue;
    ordered_json& entry = cases[i];
    const measured_case::timing& over_all = from.of->cases[i].time;
    entry["time_us"].update({{"median", over_all.median_us},
                             {"min", over_all.min_us},
                             {"ci95_low", over_all.ci95_low_us},
                             {"ci95_high", over_all.ci95_high_us},
                             {"sample_count", all.front().of->time.samples_us.size()}});
    entry["time_us"].erase("samples");
    for (const launched_case& launch : all) {
      const record& in = launch.launch == 0 ? *from.first : *from.more[launch.launch - 1];
      ordered_json& to = entry["launches"].emplace_back(ordered_json{
          {"gpu", launch.of->specimen.empty() ? fact(in.device, "uuid").value_or("") : launch.of->specimen},
          {"date", in.date},
          {"median", launch.of->time.median_us},
          {"samples", drawn_samples(launch.of->time.samples_us)}});
      if (launch.of->time.samples_per_block) to["samples_per_block"] = *launch.of->time.samples_per_block;
    }
  }
}

ordered_json bounds_json(const std::optional<claim_bounds>& bounds) {
  if (!bounds) return nullptr;
  return {{"at_least", number_or_null(bounds->at_least)}, {"at_most", number_or_null(bounds->at_most)}};
}

ordered_json figure_json(const claim_figure& f) {
  return {{"value", f.value}, {"low", f.low}, {"high", f.high}};
}

ordered_json claim_json(const held_claim& held, const case_indices& indices) {
  const auto& [c, result, marks] = held;
  const auto index_or_null = [&](const std::string& name) {
    const auto found = indices.find(name);
    return found == indices.end() ? ordered_json(nullptr) : ordered_json(found->second);
  };
  ordered_json figures = ordered_json::array(), missing = ordered_json::array();
  for (const claim_result::piece& piece : result.pieces) {
    ordered_json& to = figures.emplace_back(figure_json(piece.figure));
    to["place"] = name_of(piece.place);
    to["cases"] = ordered_json::array();
    for (const std::string& name : piece.cases) to["cases"].push_back(index_or_null(name));
  }
  for (const auto& [name, reason] : result.missing)
    missing.push_back({{"case", index_or_null(name)}, {"reason", reason}});
  return {{"id", c.id},
          {"document", c.document},
          {"section", c.section},
          {"statement", c.statement},
          {"note", c.note},
          {"about", c.chip},
          {"own", c.document == own_document},
          {"registered", c.registered},
          {"verdict", name_of(result.verdict)},
          {"marks", marks},
          {"why", result.why},
          {"unit", c.quantity ? c.quantity->unit : ""},
          {"by", c.quantity && c.quantity->counterpart
                     ? (c.quantity->compared_by == claim_quantity::comparison::ratio ? "over" : "minus")
                     : ""},
          {"figure", result.figure ? figure_json(*result.figure) : ordered_json(nullptr)},
          {"expectation", bounds_json(c.expectation)},
          {"prediction", bounds_json(c.prediction)},
          {"prediction_verdict",
           result.prediction ? ordered_json(name_of(*result.prediction)) : ordered_json(nullptr)},
          {"figures", std::move(figures)},
          {"missing", std::move(missing)}};
}

}  // namespace

ordered_json html_data(const record_report& from) {
  const record& r = *from.of;
  case_indices indices;
  for (std::size_t i = 0; i < r.cases.size(); ++i) indices.emplace(r.cases[i].name, i);

  const ordered_json file = parse_todays_record(r.path);
  ordered_json cases = ordered_json::array();
  for (std::size_t i = 0; i < r.cases.size(); ++i) {
    cases.push_back(case_json(file["benchmarks"][i]));
    if (const auto floors = todays_floors(r.cases[i])) cases.back()["floors"] = to_json(*floors);
    if (const auto ratio = counted_over_timed(r.cases[i])) cases.back()["counters"]["over_timed"] = *ratio;
    cases.back()["figures"] = figures_json(r, r.cases[i]);
    if (const std::string mark = input_mark(r.cases[i]); !mark.empty()) cases.back()["input_mark"] = mark;
    cases.back()["amounts"] = amounts_json(r.cases[i]);
  }
  add_launches(from, cases);
  add_speed_ups(from.views, indices, cases);
  add_noise(from.noise, indices, cases);

  ordered_json facts = ordered_json::array();
  for (const auto& [name, value] : record_facts(r)) facts.push_back({name, value});
  ordered_json metrics = ordered_json::array();
  for (const metric& m : case_metrics())
    metrics.push_back({{"name", m.name}, {"title", m.title}, {"formula", m.formula}});
  ordered_json operations = ordered_json::array();
  for (std::size_t i = 0; i < from.views.size(); ++i)
    operations.push_back(operation_json(r, from.views[i], from.plots[i], indices));
  ordered_json run_plots = ordered_json::array(), claims = ordered_json::array();
  for (const plot& p : from.run_plots) run_plots.push_back(plot_json(p, "run", indices));
  for (const held_claim& held : from.claims) claims.push_back(claim_json(held, indices));
  return {{"suite", r.suite_name},
          {"description", r.suite_description},
          {"device", r.device_name},
          {"label", from.label},
          {"architecture", r.device.value("architecture", "")},
          {"answer", answer_json(from, indices)},
          {"ladder", ladder_json_of(from, indices)},
          {"exhibits", exhibits_json(from, indices)},
          {"facts", std::move(facts)},
          {"evidence", file["context"]["ablate"]["evidence"]},
          {"cache_states", table_json(cache_state_table(r), indices)},
          {"ceilings", table_json(ceiling_table(r), indices)},
          {"how", how_measured(r)},
          {"metrics", std::move(metrics)},
          {"operations", std::move(operations)},
          {"cases", std::move(cases)},
          {"unmeasured", file["unmeasured"]},
          {"noise",
           {{"said", from.noise.coverage},
            {"table", table_json(noise_table(from.noise), indices)},
            {"has_floors", from.noise.has_floors},
            {"too_noisy_pct", from.noise.too_noisy_pct}}},
          {"run_plots", std::move(run_plots)},
          {"claims", std::move(claims)},
          {"other_claims", from.other_claims},
          {"how_claims_are_judged", from.how_claims_are_judged}};
}

ordered_json html_data(const side_by_side& from) {
  std::vector<case_indices> indices(from.records.size());
  for (std::size_t i = 0; i < from.records.size(); ++i)
    for (std::size_t j = 0; j < from.records[i]->of->cases.size(); ++j)
      indices[i].emplace(from.records[i]->of->cases[j].name, j);
  std::map<std::string, std::size_t> places;
  ordered_json records = ordered_json::array();
  for (std::size_t i = 0; i < from.records.size(); ++i) {
    const record_report& r = *from.records[i];
    places[r.label] = i;
    ordered_json& to =
        records.emplace_back(ordered_json{{"label", r.label}, {"launches", 1 + r.more.size()}});
    if (i == 0) continue;
    const side_pair& pair = from.pairs[i - 1];
    to["why_not"] = pair.why_not;
    to["invalid"] = pair.invalid_run.value_or("");
    to["notes"] = pair.notes;
    if (!pair.devices) continue;
    to["answer"] = pair.devices->answer;
    for (const auto& of : pair.devices->tables)
      to["tables"].push_back({{"title", of.title}, {"note", of.note}, {"rows", table_json(of.rows, {})}});
  }
  ordered_json rows = ordered_json::array();
  for (const side_row& row : from.rows) {
    ordered_json sides = ordered_json::array();
    for (std::size_t i = 0; i < row.sides.size(); ++i) {
      const compared_side& side = row.sides[i];
      ordered_json& to = sides.emplace_back(ordered_json::object());
      if (side.of) to["case"] = indices[i].at(row.name);
      if (side.ratio) to["ratio"] = *side.ratio;
      if (side.low) to["low"] = *side.low;
      if (side.high) to["high"] = *side.high;
      if (side.word) to["word"] = gate::name_of(*side.word);
      if (const std::string& why = side.of ? side.reason : side.missing; !why.empty()) to["reason"] = why;
    }
    rows.push_back(std::move(sides));
  }
  // A row of these plots names its case like the page's keys: "record.case".
  ordered_json plots = ordered_json::array();
  for (const plot& p : from.plots) {
    ordered_json specification = p.specification;
    specification.erase("$schema");
    for (ordered_json& row : specification["data"]["values"]) {
      const std::size_t place = places.at(row["record"].get<std::string>());
      row["case"] = fmt::format("{}.{}", place, indices[place].at(row["case"].get<std::string>()));
    }
    plots.push_back({{"kind", "records"},
                     {"name", p.name},
                     {"title", p.title},
                     {"specification", std::move(specification)}});
  }
  return {{"records", std::move(records)},
          {"how", from.how},
          {"counts", table_json(side_table(from), {})},
          {"rows", std::move(rows)},
          {"plots", std::move(plots)}};
}

}  // namespace ablate::reports
