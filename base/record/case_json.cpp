#include "base/record/case_json.h"

#include <fmt/format.h>

#include <utility>

#include "base/record/fields.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;

constexpr std::size_t max_picture_points = 8192;

constexpr const char* timing_methods[] = {"events", "graph", "host_clock", "host_clock_graph"};
constexpr const char* stopping_reasons[] = {"precision", "time", "samples"};
constexpr const char* flop_pipes[] = {"fma_f32", "tensor_bf16"};
// Atomics and random accesses bind where a version before 2.2 says so.
constexpr const char* floor_names[] = {"launch", "bytes", "atomics", "flops", "random", "exponentials"};
constexpr const char* model_names[] = {"atomics", "random", "gathered", "steps"};
constexpr const char* cache_states[] = {"cold-clean", "hot", "rotating", "host"};
constexpr const char* checks_of_launches[] = {"ok", "not_checked"};
constexpr const char* checks_of_timed[] = {"ok", "accumulated", "not_checked"};
constexpr const char* unmeasured_statuses[] = {"wrong",          "failed",        "out_of_memory", "timeout",
                                               "not_applicable", "input_missing", "interrupted"};

using output_picture = measured_case::output_picture;

/// A panel's kind, as a word.
struct panel_kind {
  static constexpr const char* kinds[] = {"category", "members"};

  static void read(const json_place& at, output_picture::coloring& to) {
    std::string kind;
    fields::one_of_words(kinds).read(at, kind);
    to = kind == kinds[0] ? output_picture::coloring::category : output_picture::coloring::members;
  }
  static ordered_json write(output_picture::coloring of) {
    return kinds[of == output_picture::coloring::members];
  }
  static ordered_json schema() { return fields::one_of_words(kinds).schema(); }
};

/// [x, y, v0, v1, …]
struct picture_point {
  static void read(const json_place& at, output_picture::point& to) {
    const auto numbers = at.elements();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i < 2) {
        (i == 0 ? to.x : to.y) = numbers[i].number();
        continue;
      }
      if (!numbers[i].json().is_number_integer())
        numbers[i].refuse(fmt::format("expected an integer, found {}", numbers[i].json().dump()));
      to.colors.push_back(numbers[i].json().get<long>());
    }
  }
  static ordered_json write(const output_picture::point& of) {
    ordered_json out = {of.x, of.y};
    for (const long color : of.colors) out.push_back(color);
    return out;
  }
  static ordered_json schema() { return {{"type", "array"}, {"items", fields::number::schema()}}; }
};

void expect_points_for_panels(const json_place& at, const output_picture& of) {
  if (of.panels.empty()) at.at("panels").refuse("expected at least one panel, found none");
  const json_place points = at.at("points");
  if (of.points.empty() || of.points.size() > max_picture_points)
    points.refuse(fmt::format("expected 1 to {} points, found {}", max_picture_points, of.points.size()));
  const auto elements = points.elements();
  for (std::size_t p = 0; p < elements.size(); ++p) {
    const auto numbers = elements[p].elements();
    if (numbers.size() != 2 + of.panels.size())
      elements[p].refuse(fmt::format("expected {} numbers: x, y and one for each of {} panels, found {}",
                                     2 + of.panels.size(), of.panels.size(), numbers.size()));
    for (std::size_t i = 0; i < of.panels.size(); ++i)
      if (const long color = of.points[p].colors[i];
          of.panels[i].kind == output_picture::coloring::members && color != 0 && color != 1)
        numbers[2 + i].refuse(fmt::format("expected 0 or 1 in a panel of members, found {}", color));
  }
}

using figures_by_name = fields::or_null<fields::by_name<fields::or_null<fields::number>>>;

/// By name. The schema lists only the ratio `points_per_atomic`.
struct instrument_counts : figures_by_name {
  template <class Figures>
  ordered_json schema_for() const {
    ordered_json out = figures_by_name::schema_for<Figures>();
    out["properties"]["points_per_atomic"] = fields::or_null_schema(fields::not_negative::schema());
    return out;
  }
};

}  // namespace

template <class List, fields::part_of<range_of_samples> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("median", of.median, not_negative());
  list.written("min", of.min, not_negative());
  list.written("max", of.max, not_negative());
}

template <class List, fields::part_of<clock_over_samples> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("steady", of.steady, boolean());
  list.optional("level", of.level, boolean());
  list.required("sm_mhz", of.sm_mhz, or_null(object()));
  list.required("power_w", of.power_w, or_null(object()));
  list.written("power_cap_w", of.power_cap_w, or_null(not_negative()));
  list.required("event_reasons", of.event_reasons, or_null(list_of(text())));
  list.written("seconds", of.seconds, not_negative());
  list.written("dropped_samples", of.dropped_samples, count());
}

template <class List, fields::part_of<measured_case::turn> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("median_us", of.median_us, positive());
  list.required("sm_mhz", of.sm_mhz, or_null(not_negative()));
  list.required("power_w", of.power_w, or_null(not_negative()));
  list.required("event_reasons", of.event_reasons, or_null(list_of(text())));
  list.required("steady", of.steady, boolean());
}

template <class List, fields::part_of<measured_case::timing> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("median", of.median_us, positive());
  list.required("min", of.min_us, positive());
  list.required("mad", of.mad_us, not_negative());
  list.required("ci95_low", of.ci95_low_us, positive());
  list.required("ci95_high", of.ci95_high_us, positive());
  list.required("method", of.method, one_of_words(timing_methods));
  list.required("launches_per_sample", of.launches_per_sample, count());
  list.required("warmup_launches", of.warmup_launches, count());
  list.required("stopped_by", of.stopped_by, one_of_words(stopping_reasons));
  list.required("samples", of.samples_us, list_of(positive()));
  list.optional("samples_per_block", of.samples_per_block, count());
  list.optional("clock", of.clock, object());
  list.check([&](const json_place& at) {
    if (!(of.ci95_low_us <= of.median_us && of.median_us <= of.ci95_high_us))
      at.refuse(fmt::format("expected ci95_low <= median <= ci95_high, found {}, {}, {}", of.ci95_low_us,
                            of.median_us, of.ci95_high_us));
  });
}

template <class List, fields::part_of<measured_case::work_amounts::random_access> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("resource", of.resource, text());
  list.required("count", of.count, not_negative());
  list.required("footprint_bytes", of.footprint_bytes, not_negative());
}

template <class List, fields::part_of<measured_case::work_amounts::reduction> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("ceiling", of.ceiling, text());
  list.required("count", of.count, not_negative());
}

template <class List, fields::part_of<measured_case::work_amounts::step> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("kind", of.kind, text());
  list.required("count", of.count, not_negative());
  list.required("bytes", of.bytes, not_negative());
  list.required("written_bytes", of.written_bytes, not_negative());
  list.required("flops", of.flops, not_negative());
  list.required("exponentials", of.exponentials, not_negative());
}

template <class List, fields::part_of<measured_case::work_amounts> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("bytes", of.bytes, not_negative());
  list.optional("written_bytes", of.written_bytes, not_negative());
  list.required("flops", of.flops, not_negative());
  list.required("atomics", of.atomics, not_negative());
  list.added("random", of.random, list_of(object()));
  list.optional("flop_pipe", of.flop_pipe, known_words(flop_pipes));
  list.optional("reductions", of.reductions, list_of(object()));
  list.optional("exponentials", of.exponentials, not_negative());
  list.optional("gathered_bytes", of.gathered_bytes, not_negative());
  list.optional("steps", of.steps, list_of(object()));
}

template <class List, fields::part_of<measured_case::device_memory_use> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("bytes", of.bytes, count());
  list.required("buffers", of.by_buffer, by_name(count()));
  list.check([&](const json_place& at) {
    double sum = 0;
    for (const auto& [name, bytes] : of.by_buffer) sum += bytes;
    if (sum != of.bytes)
      at.refuse(fmt::format("expected buffers of {} bytes together, found {}", of.bytes, sum));
  });
}

template <class List, fields::part_of<measured_case::floor_times> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.optional("dram_us", of.dram_us, or_null(not_negative()));
  list.optional("l2_us", of.l2_us, or_null(not_negative()));
  list.required("launch_us", of.launch_us, or_null(not_negative()));
  list.required("bytes_us", of.bytes_us, or_null(not_negative()));
  list.required("atomics_us", of.atomics_us, or_null(not_negative()));
  list.required("flops_us", of.flops_us, or_null(not_negative()));
  list.optional("random_us", of.random_us, or_null(not_negative()));
  list.optional("exponentials_us", of.exponentials_us, or_null(not_negative()));
  list.optional("gathered_us", of.gathered_us, or_null(not_negative()));
  list.optional("steps_us", of.steps_us, or_null(not_negative()));
  list.required("binding", of.binding, or_null(one_of_words(floor_names)));
  list.required("time_over_floor", of.time_over_floor, or_null(not_negative()));
  list.optional("model_binding", of.model_binding, one_of_words(model_names));
  list.optional("time_over_model", of.time_over_model, not_negative());
}

template <class List, fields::part_of<measured_case::kernel_launch> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("name", of.name, text());
  list.required("grid", of.grid, extent());
  list.required("block", of.block, extent());
  list.required("dynamic_shared_bytes", of.dynamic_shared_bytes, count());
  list.required("theoretical_occupancy", of.theoretical_occupancy, by_name(or_null(not_negative())));
}

template <class List, fields::part_of<output_picture::panel> T>
void list_fields(List& list, T& of) {
  list.required("title", of.title, fields::text());
  list.required("kind", of.kind, panel_kind());
}

template <class List, fields::part_of<output_picture> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("title", of.title, text());
  list.required("x", of.x_title, text());
  list.required("y", of.y_title, text());
  list.required("panels", of.panels, list_of(object()));
  list.required("points", of.points, list_of(picture_point()));
  list.check([&](const json_place& at) { expect_points_for_panels(at, of); });
}

template <class List, fields::part_of<measured_case::phases> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.optional("inputs", of.inputs, not_negative());
  list.optional("buffers", of.buffers, not_negative());
  list.optional("checks", of.checks, not_negative());
  list.optional("samples", of.samples, not_negative());
  list.optional("counters", of.counters, not_negative());
  list.optional("sampling", of.sampling, not_negative());
  list.optional("rest", of.rest, not_negative());
}

template <class List, fields::part_of<measured_case::timed_again> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.written("median_us", of.median_us, positive());
  list.required("after_s", of.after_s, not_negative());
  list.required("drift_pct", of.drift_pct, number());
}

template <class List, fields::part_of<measured_case::output_check> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("before", of.before, one_of_words(checks_of_launches));
  list.optional("timed", of.timed, one_of_words(checks_of_timed));
  list.required("after", of.after, one_of_words(checks_of_launches));
  list.required("max_error", of.max_error, not_negative());
  list.optional("accepted_error", of.accepted_error, not_negative());
  list.optional("changed_share", of.changed_share, not_negative());
  list.optional("against", of.against, text());
}

template <class List, fields::part_of<measured_case> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("name", of.name, text());
  // Required by Google Benchmark's compare.py.
  list.derived("run_name", of.name, text());
  list.fixed("run_type", "iteration");
  list.fixed("repetitions", 1);
  list.fixed("repetition_index", 0);
  list.fixed("threads", 1);
  list.derived("iterations", of.time.sample_count() * of.time.launches_per_sample, count());
  list.derived("real_time", of.time.median_us, positive());
  list.derived("cpu_time", of.time.median_us, positive());
  list.fixed("time_unit", "us");
  list.required("operation", of.operation, text());
  list.required("variant", of.variant, text());
  list.required("switches", of.switches, by_name(text()));
  list.required("axes", of.axes, by_name(text()));
  list.fixed("status", "ok");
  list.required("cache_state", of.cache_state, known_words(cache_states));
  list.required("work", of.work, object());
  list.written("floors", of.floors, or_null(object()));
  list.facts("input", of.input, [](auto& known) {
    std::string hash;
    std::optional<double> points, part;
    named_words dispatch;
    known.written("hash", hash, text());
    known.optional("points", points, count());
    for (const char* key : {"valid", "non_finite", "occupied"}) known.optional(key, part, unread(count()));
    known.optional("dispatch", dispatch, by_name(text()));
  });
  list.optional("ceiling", of.ceiling, text());
  list.optional("injected_delay_pct", of.injected_delay_pct, not_negative());
  list.optional("memory", of.memory, object());
  list.required("time_us", of.time, object());
  list.required("counters", of.counters, apart());
  list.required("kernels", of.kernels, list_of(object()));
  list.required("instrumented", of.instrumented, instrument_counts());
  list.required("check", of.check, object());
  list.required("device_state", of.device_state, or_null(apart()));
  list.added("quality", of.quality, figures_by_name());
  list.optional("picture", of.picture, object());
  list.optional("timeline", of.timeline, or_null(apart()));
  list.optional("timeline_reason", of.timeline_reason, text());
  list.optional("sampled", of.sampled, or_null(apart()));
  list.optional("sampled_reason", of.sampled_reason, text());
  list.optional("energy", of.energy, or_null(apart()));
  list.optional("energy_reason", of.energy_reason, text());
  list.optional("in_turns", of.in_turns, list_of(by_name_in_place(object())));
  list.optional("specimen", of.specimen, text());
  list.optional("elapsed_s", of.elapsed_s, not_negative());
  list.optional("phases_s", of.phases_s, object());
  list.optional("neighbors_busy", of.neighbors_busy, count());
  list.optional("again", of.again, object());
}

template <class List, fields::part_of<unmeasured_case> T>
void list_fields(List& list, T& of) {
  using namespace fields;
  list.required("name", of.name, text());
  list.required("operation", of.operation, text());
  list.required("variant", of.variant, text());
  list.required("axes", of.axes, by_name(text()));
  list.required("cache_state", of.cache_state, known_words(cache_states));
  list.required("status", of.status, one_of_words(unmeasured_statuses));
  list.required("reason", of.reason, text());
  list.optional("ceiling", of.ceiling, text());
  list.optional("specimen", of.specimen, text());
  list.optional("elapsed_s", of.elapsed_s, not_negative());
  list.optional("neighbors_busy", of.neighbors_busy, count());
}

namespace {

ordered_json taken(ordered_json& from, const char* key) {
  ordered_json out = std::move(from[key]);
  from.erase(key);
  return out;
}

/// Moves a member to just before another one.
void put_before(ordered_json& entry, const char* key, const char* before) {
  ordered_json out = ordered_json::object(), value = taken(entry, key);
  for (auto& [name, member] : entry.items()) {
    if (name == before) reports::add_member(out, key, std::move(value));
    reports::add_member(out, name, std::move(member));
  }
  entry = std::move(out);
}

}  // namespace

void from_json(const json_place& at, measured_case& to) {
  fields::object::read(at, to);
  if (const json_place status = at.at("status"); status.text() != "ok")
    status.refuse(fmt::format("expected one of ok, found '{}'", status.text()));
  if (const auto dispatch = at.at("input").find("dispatch"))
    fields::by_name(fields::text()).read(*dispatch, to.dispatch);
  if (const json_place counts = at.at("instrumented"); counts.is_null() || !counts.find("points_per_atomic"))
    to.counted = to.instrumented;
  else if (const json_place ratio = counts.at("points_per_atomic"); !ratio.is_null())
    ratio.not_negative();
  for (std::size_t i = 0; i < to.in_turns.size(); ++i)
    if (!to.in_turns[i].contains(to.variant))
      at.at("in_turns")
          .elements()[i]
          .refuse(fmt::format("expected a turn of '{}', the entry's own variant", to.variant));
}

ordered_json to_json(const measured_case& of) {
  ordered_json out = fields::object::write(of);
  // Rivals, whose scripts know no counters, have the quality before the check, and so have a gate's launches.
  const bool is_of_host = of.cache_state == "host";
  if (of.counters.missing.is_absent() || (!is_of_host && of.check.before == "not_checked"))
    put_before(out, "quality", "check");
  if (is_of_host && !of.sampled.is_absent()) {
    put_before(out, "sampled", "quality");
    put_before(out, "sampled_reason", "quality");
  }
  return out;
}

void from_json(const json_place& at, named_figures& to) { figures_by_name().read(at, to); }
void from_json(const json_place& at, measured_case::output_picture& to) { fields::object::read(at, to); }
ordered_json to_json(const measured_case::timing& of) { return fields::object::write(of); }
ordered_json to_json(const measured_case::floor_times& of) { return fields::object::write(of); }
ordered_json to_json(const measured_case::kernel_launch& of) { return fields::object::write(of); }

ordered_json fields_schema(const measured_case&) { return fields::object::schema_of<measured_case>(); }

void from_json(const json_place& at, unmeasured_case& to) { fields::object::read(at, to); }
ordered_json to_json(const unmeasured_case& of) { return fields::object::write(of); }
ordered_json to_json(const case_entry& of) {
  return of.visit([](const auto& either) { return to_json(either); });
}
ordered_json fields_schema(const unmeasured_case&) { return fields::object::schema_of<unmeasured_case>(); }

}  // namespace ablate
