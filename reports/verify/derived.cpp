// What of an entry follows from the rest of it, and from the ceilings and settings of its run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "base/record/case_json.h"
#include "base/record/facts.h"
#include "base/record/floors.h"
#include "base/record/upgrade.h"
#include "reports/verify/place.h"
#include "reports/verify/rivals.h"
#include "reports/verify/tolerances.h"
#include "reports/verify/verify.h"

namespace ablate::verify {
namespace {

using nlohmann::ordered_json;

constexpr double same = 1e-6;  // of numbers that are computed alike and written whole
constexpr double max_mean_beyond_power_cap = 1.1;
constexpr double rounding_phase_s = 0.014;  // seven phases to the millisecond, those below left out

/// Of a merged record the ceilings of the part on whose device the case ran, since floors are those of a
/// case's own run; null where several parts ran there.
const measured_ceilings* ceilings_of(const record& r, const measured_case& c) {
  if (r.parts.empty()) return &r.ceilings;
  const measured_ceilings* found = nullptr;
  for (const record::part& part : r.parts)
    if (part.specimen == c.specimen) {
      if (found) return nullptr;
      found = &part.ceilings;
    }
  return found;
}

/// Ceilings are measured too, and vary by so much.
constexpr double variation_of_ceilings = 0.02;

/// A case that takes less than its floor shows that the work charges more than the task needs.
void check_floor_holds(const measured_case::floor_times& floors, const measured_case& c, const place& at) {
  const auto floor = floor_of(floors, c.time.median_us);
  if (!floor) return;
  const double most_us = c.time.ci95_high_us;
  at.expect(
      most_us >= (1 - variation_of_ceilings) * floor->us, "/time_us/median",
      fmt::format("expected {:.6g} us or more, the task's floor by {} at the record's ceilings, found "
                  "{:.6g} us, at most {:.6g}: the work charges more than the task needs, or it is a model",
                  floor->us, floor->name, c.time.median_us, most_us));
}

/// What a record's version and operations say of its floors.
struct rules_of_floors {
  bool has_models = false;  ///< tells models from floors, since 2.2
  /// Operations that measure ceilings: their work is what a ceiling counts, such as accesses that L1 serves.
  std::set<std::string> calibrating = {};
};

rules_of_floors rules_for(const checked_record& r) {
  rules_of_floors out{reports::is_written_since(facts_of(r), 2, 2)};
  for (const ordered_json& entry : r.json.at("benchmarks"))
    if (entry.contains("ceiling")) out.calibrating.insert(entry.at("operation").get<std::string>());
  return out;
}

void check_floors_of(const record& r, const measured_case& c, const ordered_json& entry,
                     const rules_of_floors& rules, const place& at) {
  const ordered_json& found = entry.at("floors");
  const measured_ceilings* ceilings = ceilings_of(r, c);
  if (!found.is_object() || !ceilings) return;
  auto of_case = floors(r, *ceilings, c);
  if (of_case && !rules.calibrating.contains(c.operation)) check_floor_holds(*of_case, c, at);
  if (of_case && !rules.has_models) of_case = before_models(*of_case);
  const ordered_json wanted = of_case ? to_json(*of_case) : ordered_json();
  for (const auto& [key, value] : wanted.items()) {
    const std::string pointer = "/floors/" + key;
    const ordered_json here = found.contains(key) ? found.at(key) : ordered_json();
    constexpr const char* of = "of its work and time at the record's ceilings";
    if (value.is_number() && here.is_number())
      at.expect_near(pointer, here.get<double>(), value.get<double>(), same * value.get<double>(), of);
    else
      at.expect_equal(pointer, here, value, of);
  }
}

void check_work(const ordered_json& entry, const place& at) {
  const ordered_json& work = entry.at("work");
  if (work.contains("written_bytes"))
    at.expect(work.at("written_bytes").get<double>() <= work.at("bytes").get<double>(), "/work/written_bytes",
              fmt::format("expected at most all bytes, {}, found {}", work.at("bytes").dump(),
                          work.at("written_bytes").dump()));
  if (!work.contains("steps")) return;
  const ordered_json& steps = work.at("steps");
  for (std::size_t i = 0; i < steps.size(); ++i)
    at.expect(steps[i].at("written_bytes").get<double>() <= steps[i].at("bytes").get<double>(),
              fmt::format("/work/steps/{}/written_bytes", i),
              fmt::format("expected at most all bytes of these steps, {}, found {}",
                          steps[i].at("bytes").dump(), steps[i].at("written_bytes").dump()));
}

/// Google Benchmark's keys that have one value here, and states of the caches that have their clocks.
void check_constants(const ordered_json& entry, const place& at) {
  const std::pair<const char*, ordered_json> constants[] = {{"run_type", "iteration"}, {"repetitions", 1},
                                                            {"repetition_index", 0},   {"threads", 1},
                                                            {"time_unit", "us"},       {"status", "ok"}};
  for (const auto& [key, value] : constants)
    at.expect_equal(std::string("/") + key, entry.at(key), value, "as in every record");
  const auto state = entry.at("cache_state").get<std::string>();
  const auto method = entry.at("time_us").at("method").get<std::string>();
  const bool in_graph = state == "hot" || state == "rotating";
  at.expect(in_graph == (method == "graph"), "/time_us/method",
            fmt::format("expected {} of a case that is {}, found '{}'",
                        in_graph ? "graph" : "events or a clock of the host", state, method));
  if (!in_graph)
    at.expect_equal("/time_us/launches_per_sample", entry.at("time_us").at("launches_per_sample"), 1,
                    "since a sample of a case that is " + state + " is one launch");
}

/// At most: what is left at the end fills no block.
std::size_t most_samples(const ordered_json& time) {
  const auto per_block = time.value("samples_per_block", std::size_t{1});
  return time.at("samples").size() * per_block + per_block - 1;
}

/// The rule that ended the samples, by the settings of the run; a rival's script has its own.
void check_stop(const ordered_json& facts, const ordered_json& entry, const place& at) {
  if (!facts.contains("settings")) return;
  const ordered_json& rule = facts.at("settings").at("sampling");
  const ordered_json& time = entry.at("time_us");
  const auto reason = time.at("stopped_by").get<std::string>();
  const auto count = static_cast<double>(most_samples(time));
  const double median = time.at("median").get<double>();
  const double half = (time.at("ci95_high").get<double>() - time.at("ci95_low").get<double>()) / 2;
  if (reason == "precision")
    at.expect(half <= rule.at("half_width").get<double>() * median + rounding_us, "/time_us/stopped_by",
              fmt::format("expected an interval within {} of the median on either side, found {:.4f}",
                          rule.at("half_width").dump(), half / median));
  if (reason == "samples")
    at.expect(count >= rule.at("maximum_samples").get<double>(), "/time_us/stopped_by",
              fmt::format("expected {} samples or more, found {}", rule.at("maximum_samples").dump(), count));
  if (reason != "time")
    at.expect(count >= rule.at("minimum_samples").get<double>(), "/time_us/stopped_by",
              fmt::format("expected {} samples or more, found {}", rule.at("minimum_samples").dump(), count));
}

/// What a case took as a whole is no less than what its samples took, and the sum of its phases.
void check_elapsed(const ordered_json& entry, const place& at) {
  if (!entry.contains("elapsed_s")) return;
  const double elapsed = entry.at("elapsed_s").get<double>();
  const ordered_json& time = entry.at("time_us");
  double samples_s = 0;
  for (const ordered_json& sample : time.at("samples"))
    samples_s += sample.get<double>() * 1e-6 * time.value("samples_per_block", 1.0) *
                 time.at("launches_per_sample").get<double>();
  at.expect(elapsed >= samples_s - 0.001, "/elapsed_s",
            fmt::format("expected at least {:.3f}, the time of its samples, found {}", samples_s, elapsed));
  if (!entry.contains("phases_s")) return;
  const ordered_json& phases = entry.at("phases_s");
  double sum = 0;
  for (const auto& [name, seconds] : phases.items()) sum += seconds.get<double>();
  at.expect_near("/elapsed_s", elapsed, sum, rounding_phase_s, "the sum of its phases");
  const double sampling = phases.value("samples", 0.0);
  at.expect(sampling >= samples_s - 0.002, "/phases_s/samples",
            fmt::format("expected at least {:.3f}, the time of the samples, found {}", samples_s, sampling));
}

void check_again(const ordered_json& entry, const place& at) {
  if (!entry.contains("again")) return;
  const ordered_json& again = entry.at("again");
  const double median = entry.at("time_us").at("median").get<double>();
  at.expect_near("/again/drift_pct", again.at("drift_pct").get<double>(),
                 100 * (again.at("median_us").get<double>() / median - 1), 0.01,
                 "by which its median_us differs from the median");
}

void check_clock(const ordered_json& entry, const place& at) {
  const ordered_json& time = entry.at("time_us");
  if (!time.contains("clock")) return;
  for (const char* key : {"sm_mhz", "power_w"}) {
    const ordered_json& spread = time.at("clock").at(key);
    if (!spread.is_object()) continue;
    const double low = spread.at("min").get<double>(), median = spread.at("median").get<double>(),
                 high = spread.at("max").get<double>();
    at.expect(low <= median && median <= high, std::string("/time_us/clock/") + key + "/median",
              fmt::format("expected min {} <= median <= max {}, found {}", low, high, median));
  }
  const ordered_json& clock = time.at("clock");
  if (clock.contains("level"))
    at.expect(!clock.at("steady").get<bool>() || clock.at("level").get<bool>(), "/time_us/clock/level",
              "expected a clock that is steady to be level, found false");
}

/// Energy is mean power over a loop that is no shorter than its launches by far; L2 is flushed within the
/// loop of a cold case alone.
void check_energy(const record& r, const measured_case& c, const place& at) {
  if (!c.energy) return;
  const energy_use& e = *c.energy;
  const double loop_j = e.mean_w * e.loop_us * 1e-6;
  at.expect_near("/energy/launch_j", e.launch_j, loop_j - e.around_j, same * loop_j,
                 "mean_w times loop_us less around_j");
  if (const double cap_w = reports::number_fact(r.device, "power_cap_w").value_or(0); cap_w > 0)
    at.expect(e.mean_w <= max_mean_beyond_power_cap * cap_w, "/energy/mean_w",
              fmt::format("expected at most {} times the power cap of {} W, found {:.6g} W",
                          max_mean_beyond_power_cap, cap_w, e.mean_w));
  at.expect(e.idle_w < e.mean_w, "/energy/idle_w",
            fmt::format("expected less than mean_w, {:.6g} W, found {:.6g} W", e.mean_w, e.idle_w));
  const double stepped_j = static_cast<double>(e.steps) * e.step_j, taken_j = e.mean_w * e.seconds;
  at.expect(
      stepped_j <= 2 * taken_j && taken_j <= 2 * stepped_j, "/energy/steps",
      fmt::format("expected steps of {:.6g} J in all, mean_w times seconds, within a factor of 2, found "
                  "{:.6g} J",
                  taken_j, stepped_j));
  const bool is_flushed = c.cache_state == "cold-clean";
  at.expect(is_flushed == (e.around_j > 0), "/energy/around_j",
            fmt::format("expected {} J of a case that is {}, found {:.6g} J",
                        is_flushed ? "more than 0" : "0", c.cache_state, e.around_j));
  at.expect(e.loop_us >= 0.5 * c.time.median_us, "/energy/loop_us",
            fmt::format("expected at least half of the median, {:.6g} us, found {:.6g} us", c.time.median_us,
                        e.loop_us));
}

/// A rival's time covers all of its turns.
void check_turns(const ordered_json& entry, const place& at) {
  if (!entry.contains("in_turns")) return;
  double low = 0, high = 0;
  for (const ordered_json& round : entry.at("in_turns")) {
    const double own = round.at(entry.at("variant").get<std::string>()).at("median_us").get<double>();
    low = low == 0 ? own : std::min(low, own);
    high = std::max(high, own);
  }
  const double median = entry.at("time_us").at("median").get<double>();
  if (high > 0)
    at.expect(median >= low * 0.999 && median <= high * 1.001, "/in_turns",
              fmt::format("expected turns about the median, {}, found {} to {}", median, low, high));
}

void check_outputs(const ordered_json& entry, const place& at) {
  const ordered_json& check = entry.at("check");
  if (check.contains("changed_share") && check.at("changed_share").is_number())
    at.expect(check.at("changed_share").get<double>() >= 0 && check.at("changed_share").get<double>() <= 1,
              "/check/changed_share",
              fmt::format("expected 0 to 1, found {}", check.at("changed_share").dump()));
}

}  // namespace

void check_derived(const checked_record& r, std::vector<finding>& to) {
  const ordered_json& facts = facts_of(r);
  const ordered_json& entries = r.json.at("benchmarks");
  const rules_of_floors rules = rules_for(r);
  record context{};
  const reports::json_place root(r.json, r.file);
  context_from_json(root.at("context"), context);
  const std::vector<reports::json_place> places = root.at("benchmarks").elements();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const place at(r, fmt::format("/benchmarks/{}", i), to);
    const ordered_json& entry = entries[i];
    check_constants(entry, at);
    check_work(entry, at);
    measured_case typed;
    from_json(places[i], typed);
    check_floors_of(context, typed, entry, rules, at);
    check_energy(context, typed, at);
    check_again(entry, at);
    check_clock(entry, at);
    check_turns(entry, at);
    check_outputs(entry, at);
    if (is_rival(facts, entry)) continue;
    check_stop(facts, entry, at);
    check_elapsed(entry, at);
  }
}

}  // namespace ablate::verify
