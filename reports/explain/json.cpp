#include "base/record/counter_regime.h"
#include "base/record/floors.h"
#include "base/text/or_null.h"
#include "reports/explain/outputs.h"

namespace ablate::explain {
namespace {

using nlohmann::ordered_json;
using reports::or_null;
using reports::text_or_null;

template <class Pairs>
ordered_json object_of(const Pairs& pairs) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, word] : pairs) out[name] = word;
  return out;
}

ordered_json object_of_figures(const named_figures& figures) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, value] : figures) out[name] = or_null(value);
  return out;
}

ordered_json ratio_json(const reports::speed_up& r) {
  return {{"ratio", r.ratio}, {"low", r.low}, {"high", r.high}};
}

ordered_json time_json(const measured_case::timing& t) {
  return {{"median", t.median_us}, {"ci95_low", t.ci95_low_us}, {"ci95_high", t.ci95_high_us},
          {"min", t.min_us},       {"mad", t.mad_us},           {"samples", t.sample_count()},
          {"method", t.method},    {"stopped_by", t.stopped_by}};
}

ordered_json floors_json(const explanation& e) {
  if (!e.measured->floors) return nullptr;
  ordered_json lines = ordered_json::array();
  for (const floor_line& f : e.floors)
    lines.push_back({{"name", f.name},
                     {"us", or_null(f.us)},
                     {"at", text_or_null(f.at)},
                     {"is_model", f.is_model},
                     {"binds", f.binds}});
  const auto today = todays_floors(*e.measured);
  return {{"binding", or_null(today->binding)},
          {"time_over_floor", or_null(today->time_over_floor)},
          {"model_binding", or_null(today->model_binding)},
          {"time_over_model", or_null(today->time_over_model)},
          {"floors", lines}};
}

ordered_json work_json(const explanation& e) {
  ordered_json out = ordered_json::object();
  for (const amount& a : e.amounts)
    out[a.name] = {{"declared", a.declared},
                   {"measured", or_null(a.measured)},
                   {"waste_factor", or_null(a.waste_factor())},
                   {"by", a.by}};
  return out;
}

ordered_json standing_json(const explanation& e) {
  if (!e.stands) return nullptr;
  const standing& s = *e.stands;
  return {{"rank", s.rank},
          {"of", s.of},
          {"fastest", s.fastest},
          {"speed_of_fastest", ratio_json(s.of_fastest)},
          {"baseline", s.baseline},
          {"speed_over_baseline", s.over_baseline ? ratio_json(*s.over_baseline) : ordered_json()}};
}

ordered_json neighbors_json(const explanation& e) {
  ordered_json out = ordered_json::array();
  for (const neighbor& n : e.neighbors)
    out.push_back({{"variant", n.variant},
                   {"switch", n.switch_name},
                   {"here", or_null(n.here)},
                   {"there", or_null(n.there)},
                   {"speed", ratio_json(n.speed)}});
  return out;
}

ordered_json counters_json(const explanation& e) {
  ordered_json figures = ordered_json::array(), values = ordered_json::array();
  for (const figure& f : e.figures)
    figures.push_back({{"name", f.name}, {"title", f.title}, {"value", f.value}, {"formula", f.formula}});
  for (const counter_line& c : e.counters)
    values.push_back({{"name", c.name},
                      {"value", or_null(c.value)},
                      {"unit", text_or_null(c.unit)},
                      {"display", text_or_null(c.display)},
                      {"missing", text_or_null(c.missing)}});
  const counter_readings& read = e.measured->counters;
  return {{"set", read.set},
          {"reason", text_or_null(read.reason)},
          {"coherent", or_null(read.coherent)},
          {"counted_over_timed", or_null(reports::counted_over_timed(*e.measured))},
          {"output", or_null(read.output)},
          {"figures", figures},
          {"values", values}};
}

ordered_json kernels_json(const explanation& e) {
  ordered_json out = ordered_json::array();
  for (const kernel_line& k : e.kernels) {
    ordered_json line = {{"name", k.name},
                         {"launches", k.launches},
                         {"grid", k.grid},
                         {"block", k.block},
                         {"share_of_cycles", or_null(k.share)},
                         {"dynamic_shared_bytes", k.dynamic_shared_bytes},
                         {"theoretical_occupancy", or_null(k.theoretical_occupancy)},
                         {"compiled", nullptr}};
    if (k.compiled)
      line["compiled"] = {{"registers", k.compiled->registers},
                          {"spill_store_bytes", or_null(k.compiled->spill_store_bytes)},
                          {"spill_load_bytes", or_null(k.compiled->spill_load_bytes)},
                          {"stack_bytes", k.compiled->stack_bytes},
                          {"static_shared_bytes", k.compiled->static_shared_bytes}};
    out.push_back(line);
  }
  return out;
}

ordered_json commands_json(const case_commands& c) {
  return {{"run", text_or_null(c.run)},
          {"ncu", text_or_null(c.ncu)},
          {"nsys", text_or_null(c.nsys)},
          {"nvtx_range", text_or_null(c.nvtx_range)},
          {"note", text_or_null(c.note)}};
}

}  // namespace

ordered_json explanation_json(const explanation& e) {
  const record& r = *e.from;
  ordered_json out = {{"explain_schema", "1.2.0"},
                      {"case", e.measured ? e.measured->name : e.unmeasured->name},
                      {"status", e.measured ? "ok" : e.unmeasured->status},
                      {"record", r.path.string()},
                      {"suite", r.suite_name},
                      {"device", r.device_name},
                      {"date", r.date},
                      {"launches", e.launches},
                      {"operation", e.measured ? e.measured->operation : e.unmeasured->operation},
                      {"variant", e.measured ? e.measured->variant : e.unmeasured->variant},
                      {"description", text_or_null(e.variant_description)},
                      {"axes", object_of(e.measured ? e.measured->axes : e.unmeasured->axes)},
                      {"cache_state", e.measured ? e.measured->cache_state : e.unmeasured->cache_state}};
  if (!e.measured) {
    out["reason"] = e.unmeasured->reason;
    out["commands"] = commands_json(e.commands);
    return out;
  }
  const measured_case& c = *e.measured;
  out["switches"] = object_of(c.switches);
  out["input"] = c.input;
  out["time_us"] = time_json(c.time);
  out["floors"] = floors_json(e);
  out["work"] = work_json(e);
  out["standing"] = standing_json(e);
  out["neighbors"] = neighbors_json(e);
  out["counters"] = counters_json(e);
  out["kernels"] = kernels_json(e);
  out["instrumented"] = object_of_figures(c.counted);
  out["quality"] = object_of_figures(c.quality);
  out["memory"] = c.memory
                      ? ordered_json{{"bytes", c.memory->bytes}, {"buffers", object_of(c.memory->by_buffer)}}
                      : ordered_json();
  out["device_state"] = c.device_state ? to_json(*c.device_state) : ordered_json();
  out["max_error"] = c.check.max_error;
  out["accepted_error"] = or_null(c.check.accepted_error);
  out["commands"] = commands_json(e.commands);
  return out;
}

}  // namespace ablate::explain
