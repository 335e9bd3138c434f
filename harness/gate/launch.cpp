#include "harness/gate/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/record/facts.h"
#include "base/text/or_null.h"

namespace ablate::gate {
namespace {

using nlohmann::ordered_json;
using reports::json_place;
using reports::or_null;

/// Whether it is an integer that fits a long.
bool is_whole(double number) { return std::floor(number) == number && std::fabs(number) < 9e15; }

std::optional<long> whole_of(const std::optional<written_number>& of) {
  return of && is_whole(*of) ? std::optional(static_cast<long>(*of)) : std::nullopt;
}

launch_environment environment_of(const measured_case& c) {
  launch_environment out;
  if (!c.device_state) return out;
  const device_state before = c.device_state->before.value_or(device_state()),
                     after = c.device_state->after.value_or(device_state());
  out.sm_clock_mhz = c.device_state->timed_sm_clock_mhz;
  out.memory_clock_mhz = after.memory_clock_mhz;
  for (const device_state* state : {&before, &after}) {
    if (const auto others = whole_of(state->other_processes))
      out.other_processes = std::max(out.other_processes.value_or(0), *others);
    for (const std::string& reason : state->reasons())
      if (std::find(out.event_reasons.begin(), out.event_reasons.end(), reason) == out.event_reasons.end())
        out.event_reasons.push_back(reason);
  }
  const auto errors_before = whole_of(before.ecc_errors), errors_after = whole_of(after.ecc_errors);
  if (errors_before && errors_after) out.ecc_errors_during_it = *errors_after - *errors_before;
  return out;
}

std::optional<double> number_or_nothing(const json_place& at) {
  return at.is_null() ? std::nullopt : std::optional(at.number());
}

std::optional<long> whole_or_nothing(const json_place& at) {
  if (at.is_null()) return std::nullopt;
  const double number = at.number();
  if (!is_whole(number)) at.refuse(fmt::format("expected a whole number, found {}", number));
  return static_cast<long>(number);
}

}  // namespace

launch launch_of(const record& r) {
  launch out;
  for (const measured_case& c : r.cases)
    out.cases[c.name] = {c.time.median_us, environment_of(c), c.time.samples_us};
  for (const unmeasured_case& c : r.unmeasured) out.failures[c.name] = {c.status, c.reason};
  return out;
}

const measured_case* find_case(const record& in, const std::string& name) {
  const auto found =
      std::find_if(in.cases.begin(), in.cases.end(), [&](const measured_case& c) { return c.name == name; });
  return found == in.cases.end() ? nullptr : &*found;
}

ordered_json to_json(const launch& of) {
  ordered_json cases = ordered_json::object(), failures = ordered_json::object();
  for (const auto& [name, c] : of.cases) {
    const launch_environment& seen = c.environment;
    cases[name] = {{"us", c.median_us},
                   {"sm_mhz", or_null(seen.sm_clock_mhz)},
                   {"memory_mhz", or_null(seen.memory_clock_mhz)},
                   {"reasons", seen.event_reasons},
                   {"others", or_null(seen.other_processes)},
                   {"ecc", or_null(seen.ecc_errors_during_it)}};
  }
  for (const auto& [name, why] : of.failures)
    failures[name] = {{"status", why.status}, {"reason", why.reason}};
  return {{"cases", std::move(cases)}, {"failures", std::move(failures)}};
}

launch launch_from(const json_place& at) {
  launch out;
  for (const auto& [name, c] : at.at("cases").members()) {
    launch_environment seen;
    seen.sm_clock_mhz = number_or_nothing(c.at("sm_mhz"));
    seen.memory_clock_mhz = number_or_nothing(c.at("memory_mhz"));
    for (const json_place& reason : c.at("reasons").elements()) seen.event_reasons.push_back(reason.text());
    seen.other_processes = whole_or_nothing(c.at("others"));
    seen.ecc_errors_during_it = whole_or_nothing(c.at("ecc"));
    out.cases[name] = {c.at("us").positive(), std::move(seen), {}};
  }
  for (const auto& [name, why] : at.at("failures").members())
    out.failures[name] = {why.at("status").text(), why.at("reason").text()};
  return out;
}

}  // namespace ablate::gate
