#include <fmt/format.h>

#include <string_view>

#include "base/text/json_place.h"
#include "base/text/json_text.h"
#include "reports/gate/policy.h"
#include "reports/gate/shift.h"

namespace ablate::gate {
namespace {

using reports::json_place;

/// No gate can afford more pairs than this, and the exact test would take long.
constexpr long max_pairs = 128;

json_place object_with(const json_place& parent, std::string_view key,
                       const std::vector<std::string>& known) {
  const json_place at = parent.at(key);
  at.expect_keys(known);
  return at;
}

double share_of(const json_place& at) {
  const double value = at.number();
  if (!(value > 0 && value <= 1))
    at.refuse(fmt::format("expected a share above 0 and up to 1, found {}", value));
  return value;
}

double open_share_of(const json_place& at) {
  const double value = at.number();
  if (!(value > 0 && value < 1)) at.refuse(fmt::format("expected a number between 0 and 1, found {}", value));
  return value;
}

double percent_of(const json_place& at) {
  const double value = at.number();
  if (!(value > 0 && value <= 100))
    at.refuse(fmt::format("expected a percentage above 0 and up to 100, found {}", value));
  return value;
}

std::size_t count_of(const json_place& at, long least, long most) {
  const long value = at.count();
  if (value < least || value > most)
    at.refuse(fmt::format("expected a count from {} to {}, found {}", least, most, value));
  return static_cast<std::size_t>(value);
}

std::string text_of(const json_place& at) {
  std::string text = at.text();
  if (text.empty()) at.refuse("expected a text that is not empty");
  return text;
}

gate_policy::environment_rules environment_of(const json_place& root) {
  const json_place at =
      object_with(root, "environment", {"sm_clock_tolerance_pct", "repeats", "refused_event_reasons"});
  gate_policy::environment_rules out{
      percent_of(at.at("sm_clock_tolerance_pct")), count_of(at.at("repeats"), 0, 100), {}};
  for (const json_place& reason : at.at("refused_event_reasons").elements())
    out.refused_event_reasons.push_back(text_of(reason));
  return out;
}

gate_policy::confirm_rules confirm_of(const json_place& root) {
  const json_place at = object_with(
      root, "confirm",
      {"wait_seconds", "pairs", "extra_pairs", "level", "bound_share_of_delta", "interval_confidence"});
  const gate_policy::confirm_rules out{
      at.at("wait_seconds").not_negative(),         count_of(at.at("pairs"), 1, max_pairs),
      count_of(at.at("extra_pairs"), 0, max_pairs), open_share_of(at.at("level")),
      share_of(at.at("bound_share_of_delta")),      open_share_of(at.at("interval_confidence"))};
  const double smallest_p = smallest_crossover_p(out.pairs);
  if (!(smallest_p <= out.level))
    at.at("pairs").refuse(
        fmt::format("expected enough pairs for the level {}: the smallest p of {} pairs is {:.4g}", out.level,
                    out.pairs, smallest_p));
  return out;
}

gate_policy::delta_rules delta_of(const json_place& root) {
  const json_place at = object_with(
      root, "delta",
      {"minimum_pct", "dedicated_gpu", "dedicated_minimum_pct", "dedicated_above_us", "too_noisy_pct"});
  const gate_policy::delta_rules out{percent_of(at.at("minimum_pct")), at.at("dedicated_gpu").boolean(),
                                     percent_of(at.at("dedicated_minimum_pct")),
                                     at.at("dedicated_above_us").not_negative(),
                                     percent_of(at.at("too_noisy_pct"))};
  if (!(out.too_noisy_pct >= out.minimum_pct))
    at.at("too_noisy_pct")
        .refuse(
            fmt::format("expected at least minimum_pct, {}, found {}", out.minimum_pct, out.too_noisy_pct));
  return out;
}

gate_policy::calibration_rules calibration_of(const json_place& root) {
  const json_place at =
      object_with(root, "calibration", {"builds", "runs", "pairs", "quantile", "alarm_share"});
  const gate_policy::calibration_rules out{count_of(at.at("builds"), 2, 100),
                                           count_of(at.at("runs"), 1, 10000),
                                           count_of(at.at("pairs"), 1, max_pairs),
                                           share_of(at.at("quantile")), open_share_of(at.at("alarm_share"))};
  if (out.runs + 1 < out.builds)
    at.at("runs").refuse(fmt::format("expected at least {}, so that each of {} builds is in a run, found {}",
                                     out.builds - 1, out.builds, out.runs));
  return out;
}

gate_policy::pass_rules pass_of(const json_place& root) {
  const json_place at = object_with(root, "pass", {"minimum_judged_share", "otherwise_exit_code"});
  const long code = at.at("otherwise_exit_code").count();
  if (code != 1 && code != 4)
    at.at("otherwise_exit_code")
        .refuse(fmt::format("expected 4 (inconclusive) or 1 (a failure), found {}", code));
  return {share_of(at.at("minimum_judged_share")), static_cast<int>(code)};
}

}  // namespace

gate_policy read_policy(const std::filesystem::path& path) {
  const nlohmann::ordered_json json = reports::parse_json_file(path);
  const std::string file = path.string();
  const json_place root(json, file);
  root.expect_keys({"$schema", "name", "description", "launch", "environment", "screen", "confirm", "delta",
                    "calibration", "pass", "counters", "whole_run", "history", "compare",
                    "time_budget_seconds"});

  gate_policy out{};
  out.name = text_of(root.at("name"));
  out.description = text_of(root.at("description"));
  out.launch = {count_of(object_with(root, "launch", {"samples"}).at("samples"), 1, 1000000)};
  out.environment = environment_of(root);
  const json_place screen = object_with(root, "screen", {"pairs", "flag_share_of_delta"});
  out.screen = {count_of(screen.at("pairs"), 1, max_pairs), share_of(screen.at("flag_share_of_delta"))};
  out.confirm = confirm_of(root);
  out.delta = delta_of(root);
  out.calibration = calibration_of(root);
  out.pass = pass_of(root);
  for (const auto& [counter, ignored] : root.at("counters").members()) {
    const json_place rule = object_with(root.at("counters"), counter, {"tolerance_pct", "slack"});
    out.counters.push_back(
        {counter, rule.at("tolerance_pct").not_negative(), rule.at("slack").not_negative()});
  }
  const json_place whole_run =
      object_with(root, "whole_run", {"share", "shift_pct", "minimum_cases", "same_sign_runs", "controls"});
  out.whole_run = {share_of(whole_run.at("share")),
                   percent_of(whole_run.at("shift_pct")),
                   count_of(whole_run.at("minimum_cases"), 2, 1000000),
                   count_of(whole_run.at("same_sign_runs"), 2, 1000000),
                   {}};
  for (const json_place& ceiling : whole_run.at("controls").elements())
    out.whole_run.controls.push_back(text_of(ceiling));
  const json_place history = object_with(root, "history", {"level", "minimum_change_pct"});
  out.history = {open_share_of(history.at("level")), percent_of(history.at("minimum_change_pct"))};
  const json_place compare =
      object_with(root, "compare",
                  {"interval_confidence", "one_launch_delta_pct", "one_launch_short_delta_pct",
                   "short_below_us", "minimum_judged_share"});
  out.compare = {open_share_of(compare.at("interval_confidence")),
                 percent_of(compare.at("one_launch_delta_pct")),
                 percent_of(compare.at("one_launch_short_delta_pct")),
                 compare.at("short_below_us").not_negative(), share_of(compare.at("minimum_judged_share"))};
  out.time_budget_seconds = root.at("time_budget_seconds").positive();
  return out;
}

}  // namespace ablate::gate
