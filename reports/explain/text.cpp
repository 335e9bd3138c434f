#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/record/bounded.h"
#include "base/record/counter_regime.h"
#include "base/record/facts.h"
#include "base/record/floors.h"
#include "base/record/input_marks.h"
#include "base/text/text.h"
#include "reports/ablation/pairs.h"
#include "reports/explain/outputs.h"

namespace ablate::explain {
namespace {

using nlohmann::ordered_json;
using reports::plain;
using reports::significant;
using reports::with_prefix;
using row = std::vector<std::string>;

/// A title and rows in columns; nothing without rows.
std::string section(const std::string& title, const std::vector<row>& rows) {
  return rows.empty() ? "" : "\n" + title + "\n" + reports::columns(rows, "  ");
}

std::string words_text(const named_words& words) {
  std::string out;
  for (const auto& [name, word] : words) out += (out.empty() ? "" : ", ") + name + "=" + word;
  return out;
}

/// Shares and errors may be tiny: they keep their digits.
std::string number_text(double value) {
  return value != 0 && std::abs(value) < 1e-3 ? fmt::format("{:.4g}", value) : plain(value);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string ratio_text(const reports::speed_up& r) {
  return fmt::format("{:.3f}× ({:.3f} to {:.3f})", r.ratio, r.low, r.high);
}

std::string bytes_text(double bytes) {
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t i = 0;
  for (; bytes >= 1024 && i + 1 < std::size(units); ++i) bytes /= 1024;
  return fmt::format("{} {}", plain(bytes), units[i]);
}

std::string head(const explanation& e) {
  const record& r = *e.from;
  std::string out;
  const auto fact = [&](const char* name, const std::string& text) {
    if (!text.empty()) out += fmt::format("  {:<9}{}\n", name, text);
  };
  fact("variant", e.variant_description);
  if (e.measured) fact("switches", words_text(e.measured->switches));
  fact("device", r.device_name);
  fact("record", fmt::format("{}, suite {}, {}, commit {:.12}{}", r.path.string(), r.suite_name, r.date,
                             r.build.commit, r.build.dirty ? " with local changes" : ""));
  return out;
}

std::string clocked_by(const std::string& method) {
  if (method == "events") return "CUDA events around one launch";
  if (method == "graph") return "CUDA graphs of many launches";
  if (method == "host_clock") return "the host's clock";
  if (method == "host_clock_graph") return "the host's clock around a CUDA graph";
  return method;
}

std::string energy_text(const energy_use& e) {
  return fmt::format(
      "{} mJ a launch ± {:.2g} %, mean {:.0f} W, idle {:.0f} W, {} steps of {} J of the counter",
      significant(e.launch_mj()), e.error_pct, e.mean_w, e.idle_w, e.steps, plain(e.step_j));
}

std::vector<row> time_rows(const measured_case& c, std::size_t launches) {
  const auto& t = c.time;
  std::vector<row> out = {
      {"median", fmt::format("{} µs, 95 % interval {} to {}{}", significant(t.median_us),
                             significant(t.ci95_low_us), significant(t.ci95_high_us),
                             launches > 1 ? fmt::format(", over {} launches", launches) : "")},
      {"samples", fmt::format("{}, least {} µs, median absolute deviation {} µs, ended by {}",
                              t.sample_count(), significant(t.min_us), significant(t.mad_us), t.stopped_by)},
      {"method", fmt::format("{} ({} a sample), caches {}", clocked_by(t.method), t.launches_per_sample,
                             c.cache_state)}};
  if (const auto items = c.items(); items && *items > 0)
    out.push_back({"rate", with_prefix(*items / (t.median_us * 1e-6)) + "points/s"});
  if (c.energy)
    out.push_back({"energy", energy_text(*c.energy)});
  else if (!c.energy_reason.empty())
    out.push_back({"energy", "none: " + c.energy_reason});
  if (const double error = c.check.max_error; error > 0 || c.check.accepted_error > 0)
    out.push_back({"error", fmt::format("{:.4g} at most{}, by the operation's own measure", error,
                                        c.check.accepted_error
                                            ? fmt::format(", accepted {:.4g}", *c.check.accepted_error)
                                            : std::string())});
  if (!c.check.against.empty())
    out.push_back(
        {"oracle", "the outputs of the variant " + c.check.against + ", since the operation has no other"});
  return out;
}

/// What is known of the input beside its hash, numbers and words alone.
std::vector<row> input_rows(const measured_case& c) {
  std::vector<row> out;
  if (const std::string mark = reports::input_mark(c); !mark.empty()) out.push_back({"mark", mark.substr(1)});
  for (const auto& [name, value] : c.input.items()) {
    if (value.is_number()) out.push_back({name, number_text(value.get<double>())});
    if (value.is_string() && name != "hash") out.push_back({name, value.get<std::string>()});
  }
  return out;
}

std::vector<row> floor_rows(const explanation& e) {
  std::vector<row> out;
  const auto share_text = [&](const floor_line& f) -> std::string {
    if (!f.us) return "";
    const double share = *f.us / e.measured->time.median_us;
    if (share <= 1) return percent(share) + " of the time";
    return f.is_model ? "above the time: this variant avoids it" : "above the time, which no floor may be";
  };
  for (const floor_line& f : e.floors)
    out.push_back({f.name, f.is_model ? "model" : "floor",
                   f.us ? significant(*f.us) + " µs" : "ceiling not measured", share_text(f),
                   f.binds ? "binds" : "", f.at});
  return out;
}

std::string floors_title(const measured_case& c) {
  const auto floor = floor_of(c), model = model_of(c);
  std::string out = "Floors";
  if (floor) out += fmt::format(": the time is {:.2f}× the floor", floor->time_over);
  if (model) out += fmt::format("{} {:.2f}× the model", floor ? " and" : ": the time is", model->time_over);
  return out;
}

std::vector<row> amount_rows(const explanation& e) {
  std::vector<row> out;
  for (const amount& a : e.amounts)
    out.push_back({a.name, with_prefix(a.declared) + a.unit + " declared",
                   a.measured ? with_prefix(*a.measured) + a.unit + " measured" : "not measured",
                   a.waste_factor() ? fmt::format("waste factor {:.2f}", *a.waste_factor()) : "", a.by});
  return out;
}

std::string spilled_text(const compiled_kernel& of) {
  if (!of.spill_store_bytes || !of.spill_load_bytes) return "unknown";
  return fmt::format("{} B stored {} B loaded", *of.spill_store_bytes, *of.spill_load_bytes);
}

std::vector<row> kernel_rows(const explanation& e) {
  std::vector<row> out;
  const auto extent = [](const std::array<long, 3>& of) {
    return of[1] > 1 || of[2] > 1 ? fmt::format("{}×{}×{}", of[0], of[1], of[2]) : std::to_string(of[0]);
  };
  for (const kernel_line& k : e.kernels) {
    std::string facts = "registers, spills and static shared memory unknown";
    if (k.compiled)
      facts = fmt::format("{} registers, spills {}, shared {} B static", k.compiled->registers,
                          spilled_text(*k.compiled), k.compiled->static_shared_bytes);
    out.push_back(
        {k.share ? percent(*k.share) : "?",
         fmt::format("{} <<<{}, {}>>>{}", reports::short_kernel_name(k.name), extent(k.grid), extent(k.block),
                     k.launches > 1 ? fmt::format(" and {} more launches", k.launches - 1) : "")});
    out.push_back({"", fmt::format("{}, {} B dynamic, occupancy {}", facts, k.dynamic_shared_bytes,
                                   k.theoretical_occupancy ? "at most " + percent(*k.theoretical_occupancy)
                                                           : "unknown")});
  }
  return out;
}

std::vector<row> figure_rows(const named_figures& figures) {
  std::vector<row> out;
  for (const auto& [name, value] : figures) out.push_back({name, value ? number_text(*value) : "none"});
  return out;
}

std::vector<row> metric_rows(const explanation& e) {
  std::vector<row> out;
  for (const figure& f : e.figures)
    out.push_back(
        {f.title, f.is_shown ? significant(f.value) : reports::beyond_bound(f.value, 100), f.formula});
  return out;
}

std::vector<row> counter_rows(const explanation& e) {
  std::vector<row> out;
  for (const counter_line& c : e.counters) {
    const std::string& why = c.value ? c.not_shown : c.missing;
    out.push_back({c.name,
                   !c.value      ? "null"
                   : why.empty() ? number_text(*c.value)
                                 : "not shown",
                   c.unit, c.display + (c.display.empty() || why.empty() ? "" : ": ") + why});
  }
  return out;
}

std::string counters_title(const explanation& e) {
  const counter_readings& read = e.measured->counters;
  std::string out = fmt::format("Figures from counters, of one launch after timing (set {})", read.set);
  if (read.coherent == false)
    out += "; the passes differ in their instructions, so ratios across groups are rough";
  if (const auto ratio = reports::counted_over_timed(*e.measured))
    out += fmt::format(
        "; § that launch took {:.2f}× the time of the timed ones: these describe another "
        "regime",
        *ratio);
  if (read.output && *read.output != "ok") out += "; the output of these passes " + *read.output;
  return out;
}

std::string state_text(const device_state& state) {
  std::string out;
  const auto say = [&](const std::optional<written_number>& number, const char* unit, const char* before) {
    if (number) out += fmt::format("{}{}{}{}", out.empty() ? "" : ", ", before, plain(*number), unit);
  };
  say(state.sm_clock_mhz, " MHz", "SM ");
  say(state.memory_clock_mhz, " MHz", "memory ");
  say(state.temperature_c, " °C", "");
  say(state.power_w, " W", "");
  say(state.other_processes, "", "other processes ");
  say(state.ecc_errors, "", "ECC errors ");
  if (!state.event_reasons) return out;
  return out + (out.empty() ? "" : ", ") +
         (state.reasons().empty() ? "nothing holds the clocks down"
                                  : fmt::format("event reasons: {}", fmt::join(state.reasons(), ", ")));
}

std::string load_text(const clock_over_samples& clock) {
  std::string out;
  if (clock.sm_mhz) out += fmt::format("SM {:.0f} MHz, ", clock.sm_mhz->median);
  if (clock.power_w) out += fmt::format("{:.0f} W, ", clock.power_w->median);
  if (clock.event_reasons && !clock.event_reasons->empty())
    out += fmt::format("event reasons: {}, ", fmt::join(*clock.event_reasons, ", "));
  return out + (clock.steady ? "steady" : clock.is_level() ? "level, though not steady" : "not steady");
}

std::vector<row> state_rows(const measured_case& c) {
  std::vector<row> out;
  if (c.time.clock) out.push_back({"under load", load_text(*c.time.clock)});
  if (!c.device_state) return out;
  if (c.device_state->before) out.push_back({"before", state_text(*c.device_state->before)});
  if (c.device_state->after) out.push_back({"after", state_text(*c.device_state->after)});
  if (const auto& clock = c.device_state->timed_sm_clock_mhz)
    out.push_back({"timed", fmt::format("SM {:.0f} MHz right after the last sample", *clock)});
  return out;
}

std::vector<row> memory_rows(const measured_case& c) {
  std::vector<row> out;
  if (!c.memory) return out;
  auto buffers = c.memory->by_buffer;
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [name, bytes] : buffers) out.push_back({name, bytes_text(bytes)});
  return out;
}

std::vector<row> standing_rows(const explanation& e) {
  std::vector<row> out;
  if (!e.stands) return out;
  const standing& s = *e.stands;
  out.push_back({"rank", fmt::format("{} of {}", s.rank, s.of)});
  if (s.rank > 1)
    out.push_back({"fastest", s.fastest, fmt::format("this one is {} as fast", ratio_text(s.of_fastest))});
  if (s.over_baseline)
    out.push_back(
        {"baseline", s.baseline, fmt::format("this one is {} as fast", ratio_text(*s.over_baseline))});
  else
    out.push_back({"baseline", s.baseline,
                   s.baseline == e.measured->variant ? "is this one" : "was not measured here"});
  return out;
}

std::vector<row> neighbor_rows(const explanation& e) {
  std::vector<row> out;
  for (const neighbor& n : e.neighbors)
    out.push_back({fmt::format("{}: {} → {}", n.switch_name, n.here.value_or(reports::off_value),
                               n.there.value_or(reports::off_value)),
                   n.variant, ratio_text(n.speed) + " as fast"});
  return out;
}

std::vector<row> command_rows(const case_commands& c) {
  std::vector<row> out;
  for (const auto& [name, command] :
       {std::pair("run", c.run), {"ncu", c.ncu}, {"nsys", c.nsys}, {"NVTX", c.nvtx_range}, {"note", c.note}})
    if (!command.empty()) out.push_back({name, command});
  return out;
}

}  // namespace

std::string explanation_text(const explanation& e, bool all_counters) {
  if (!e.measured) {
    const unmeasured_case& c = *e.unmeasured;
    return c.name + "\n" + head(e) +
           section("Not measured", {{"status", c.status}, {"reason", c.reason}, {"caches", c.cache_state}}) +
           section("See it again", command_rows(e.commands));
  }
  const measured_case& c = *e.measured;
  std::string out = c.name + "\n" + head(e) + section("Time", time_rows(c, e.launches)) +
                    section("Input", input_rows(c)) + section(floors_title(c), floor_rows(e)) +
                    section("Work", amount_rows(e)) +
                    section("Among the variants at these axes", standing_rows(e)) +
                    section("One switch apart", neighbor_rows(e));
  if (c.counters.any())
    out += section(counters_title(e), metric_rows(e));
  else
    out += section("Counters", {{"none", c.counters.reason}});
  if (all_counters) out += section("Counters", counter_rows(e));
  return out + section("Kernels in launch order, with their share of SM cycles", kernel_rows(e)) +
         section("Counted by the instrumented form", figure_rows(c.counted)) +
         section("Quality of the output", figure_rows(c.quality)) +
         section(c.memory ? "Buffers: " + bytes_text(c.memory->bytes) : "Buffers", memory_rows(c)) +
         section("Device", state_rows(c)) + section("See it again", command_rows(e.commands));
}

}  // namespace ablate::explain
