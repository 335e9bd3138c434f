#include "base/record/read_case.h"

#include <fmt/format.h>

#include <map>

#include "base/record/read_values.h"

namespace ablate {
namespace {

using reports::json_place;

constexpr std::size_t max_picture_points = 8192;

/// `figure` reads the clock and the power.
template <class Figure>
clock_under_load clock_of(const json_place& at, Figure figure) {
  clock_under_load out{figure(at.at("sm_mhz")), figure(at.at("power_w")), {}, at.at("steady").boolean()};
  if (const json_place reasons = at.at("event_reasons"); !reasons.is_null())
    out.event_reasons = texts_of(reasons);
  const auto level = at.find("level");
  out.level = out.steady || (level && level->boolean());
  return out;
}

std::map<std::string, measured_case::turn> round_of(const json_place& at) {
  std::map<std::string, measured_case::turn> out;
  for (const auto& [variant, turn] : at.members())
    out.emplace(variant,
                measured_case::turn{turn.at("median_us").positive(), clock_of(turn, number_or_null)});
  return out;
}

measured_case::timing timing_of(const json_place& at) {
  measured_case::timing out{};
  out.median_us = at.at("median").positive();
  out.min_us = at.at("min").positive();
  out.mad_us = at.at("mad").not_negative();
  out.ci95_low_us = at.at("ci95_low").positive();
  out.ci95_high_us = at.at("ci95_high").positive();
  if (!(out.ci95_low_us <= out.median_us && out.median_us <= out.ci95_high_us))
    at.refuse(fmt::format("expected ci95_low <= median <= ci95_high, found {}, {}, {}", out.ci95_low_us,
                          out.median_us, out.ci95_high_us));
  out.method = one_of(at.at("method"), {"events", "graph", "host_clock", "host_clock_graph"});
  out.launches_per_sample = at.at("launches_per_sample").count();
  out.warmup_launches = at.at("warmup_launches").count();
  out.stopped_by = one_of(at.at("stopped_by"), {"precision", "time", "samples"});
  for (const json_place& sample : at.at("samples").elements()) out.samples_us.push_back(sample.positive());
  if (const auto clock = at.find("clock"))
    out.clock = clock_of(*clock, [](const json_place& spread) {
      return spread.is_null() ? std::nullopt : std::optional(spread.at("median").not_negative());
    });
  return out;
}

measured_case::work_amounts work_of(const json_place& at) {
  measured_case::work_amounts out{at.at("bytes").not_negative(), at.at("flops").not_negative(),
                                  at.at("atomics").not_negative()};
  if (const auto pipe = at.find("flop_pipe")) out.flop_pipe = pipe->text();
  if (const auto random = at.find("random"))
    for (const json_place& access : random->elements())
      out.random.push_back({access.at("resource").text(), access.at("count").not_negative(),
                            access.at("footprint_bytes").not_negative()});
  return out;
}

measured_case::device_memory_use memory_of(const json_place& at) {
  measured_case::device_memory_use out{static_cast<double>(at.at("bytes").count()), {}};
  for (const auto& [name, bytes] : at.at("buffers").members())
    out.by_buffer.emplace_back(name, static_cast<double>(bytes.count()));
  double sum = 0;
  for (const auto& [name, bytes] : out.by_buffer) sum += bytes;
  if (sum != out.bytes)
    at.refuse(fmt::format("expected buffers of {} bytes together, found {}", out.bytes, sum));
  return out;
}

std::optional<measured_case::floor_times> floors_of(const json_place& at) {
  if (at.is_null()) return std::nullopt;
  measured_case::floor_times out;
  out.launch_us = number_or_null(at.at("launch_us"));
  out.bytes_us = number_or_null(at.at("bytes_us"));
  out.atomics_us = number_or_null(at.at("atomics_us"));
  out.flops_us = number_or_null(at.at("flops_us"));
  if (const auto random = at.find("random_us")) out.random_us = number_or_null(*random);
  if (const json_place binding = at.at("binding"); !binding.is_null())
    out.binding = one_of(binding, {"launch", "bytes", "atomics", "flops", "random"});
  out.time_over_floor = number_or_null(at.at("time_over_floor"));
  return out;
}

std::array<long, 3> extent_of(const json_place& at) {
  const auto elements = at.elements();
  if (elements.size() != 3) at.refuse(fmt::format("expected three counts, found {}", elements.size()));
  return {elements[0].count(), elements[1].count(), elements[2].count()};
}

measured_case::kernel_launch kernel_of(const json_place& at) {
  measured_case::kernel_launch out{at.at("name").text(),
                                   extent_of(at.at("grid")),
                                   extent_of(at.at("block")),
                                   at.at("dynamic_shared_bytes").count(),
                                   {}};
  for (const auto& [architecture, value] : at.at("theoretical_occupancy").members())
    out.theoretical_occupancy.emplace_back(architecture, number_or_null(value));
  return out;
}

named_figures figures_of(const json_place& at) {
  named_figures out;
  for (const auto& [name, value] : at.members())
    out.emplace_back(name, value.is_null() ? std::nullopt : std::optional(value.number()));
  return out;
}

measured_case::output_picture picture_of(const json_place& at) {
  using coloring = measured_case::output_picture::coloring;
  measured_case::output_picture out{at.at("title").text(), at.at("x").text(), at.at("y").text(), {}, {}};
  for (const json_place& panel : at.at("panels").elements())
    out.panels.push_back(
        {panel.at("title").text(), one_of(panel.at("kind"), {"category", "members"}) == "category"
                                       ? coloring::category
                                       : coloring::members});
  if (out.panels.empty()) at.at("panels").refuse("expected at least one panel, found none");
  const auto points = at.at("points").elements();
  if (points.empty() || points.size() > max_picture_points)
    at.at("points").refuse(
        fmt::format("expected 1 to {} points, found {}", max_picture_points, points.size()));
  for (const json_place& point : points) {
    const auto numbers = point.elements();
    if (numbers.size() != 2 + out.panels.size())
      point.refuse(fmt::format("expected {} numbers: x, y and one for each of {} panels, found {}",
                               2 + out.panels.size(), out.panels.size(), numbers.size()));
    auto& to = out.points.emplace_back(
        measured_case::output_picture::point{numbers[0].number(), numbers[1].number(), {}});
    for (std::size_t i = 0; i < out.panels.size(); ++i) {
      const json_place& color = numbers[2 + i];
      if (!color.json().is_number_integer())
        color.refuse(fmt::format("expected an integer, found {}", color.json().dump()));
      to.colors.push_back(color.json().get<long>());
      if (out.panels[i].kind == coloring::members && to.colors.back() != 0 && to.colors.back() != 1)
        color.refuse(fmt::format("expected 0 or 1 in a panel of members, found {}", to.colors.back()));
    }
  }
  return out;
}

}  // namespace

measured_case case_of(const json_place& at) {
  measured_case out{};
  out.name = at.at("name").text();
  out.operation = at.at("operation").text();
  out.variant = at.at("variant").text();
  out.cache_state = at.at("cache_state").text();
  one_of(at.at("status"), {"ok"});
  out.switches = words_of(at.at("switches"));
  out.axes = words_of(at.at("axes"));
  if (const auto ceiling = at.find("ceiling")) out.ceiling = ceiling->text();
  if (const auto specimen = at.find("specimen")) out.specimen = specimen->text();
  if (const auto elapsed = at.find("elapsed_s")) out.elapsed_s = elapsed->not_negative();
  if (const auto again = at.find("again"))
    out.again = {again->at("after_s").not_negative(), again->at("drift_pct").number()};
  out.time = timing_of(at.at("time_us"));
  out.work = work_of(at.at("work"));
  if (const auto memory = at.find("memory")) out.memory = memory_of(*memory);
  out.floors = floors_of(at.at("floors"));
  for (const json_place& kernel : at.at("kernels").elements()) out.kernels.push_back(kernel_of(kernel));
  out.counters = reports::counters_of(at.at("counters"));
  if (const auto timeline = at.find("timeline"); timeline && !timeline->is_null())
    out.timeline = reports::timeline_of(*timeline);
  if (const auto sampled = at.find("sampled"); sampled && !sampled->is_null())
    out.sampled = reports::sampled_of(*sampled);
  if (const auto reason = at.find("sampled_reason")) out.sampled_reason = reason->text();
  out.instrumented = object_or_null(at.at("instrumented"));
  out.input = object_at(at.at("input"));
  if (const auto hash = at.at("input").find("hash")) hash->text();
  if (const auto points = at.at("input").find("points")) points->count();
  if (const auto dispatch = at.at("input").find("dispatch")) out.dispatch = words_of(*dispatch);
  if (const auto per_atomic =
          out.instrumented.is_null() ? std::nullopt : at.at("instrumented").find("points_per_atomic"))
    number_or_null(*per_atomic);
  else if (!out.instrumented.is_null())
    out.counted = figures_of(at.at("instrumented"));
  if (const auto quality = at.find("quality"); quality && !quality->is_null())
    out.quality = figures_of(*quality);
  if (const auto picture = at.find("picture"); picture && !picture->is_null())
    out.picture = picture_of(*picture);
  const json_place check = at.at("check");
  one_of(check.at("before"), {"ok", "not_checked"});
  one_of(check.at("after"), {"ok", "not_checked"});
  out.is_checked = check.at("before").text() == "ok" && check.at("after").text() == "ok";
  if (const auto timed = check.find("timed")) one_of(*timed, {"ok", "accumulated", "not_checked"});
  if (const auto against = check.find("against")) out.checked_against = against->text();
  out.max_error = check.at("max_error").not_negative();
  if (const auto accepted = check.find("accepted_error")) out.accepted_error = accepted->not_negative();
  out.device_state = object_or_null(at.at("device_state"));
  if (const auto rounds = at.find("in_turns"))
    for (const json_place& round : rounds->elements()) {
      out.in_turns.push_back(round_of(round));
      if (!out.in_turns.back().contains(out.variant))
        round.refuse(fmt::format("expected a turn of '{}', the entry's own variant", out.variant));
    }
  return out;
}

unmeasured_case unmeasured_of(const json_place& at) {
  unmeasured_case out;
  out.name = at.at("name").text();
  out.operation = at.at("operation").text();
  out.variant = at.at("variant").text();
  out.axes = words_of(at.at("axes"));
  out.cache_state = at.at("cache_state").text();
  out.status = one_of(at.at("status"), {"wrong", "failed", "out_of_memory", "timeout", "not_applicable",
                                        "input_missing", "interrupted"});
  out.reason = at.at("reason").text();
  if (const auto elapsed = at.find("elapsed_s")) out.elapsed_s = elapsed->not_negative();
  return out;
}

}  // namespace ablate
