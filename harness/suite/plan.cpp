#include "harness/suite/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "harness/counters/metric_groups.h"
#include "harness/inputs/input_errors.h"
#include "harness/registry/case_id.h"
#include "harness/suite/estimate.h"

namespace ablate {

namespace {

using nlohmann::ordered_json;

ordered_json axes_json(const axis_values& axes) {
  ordered_json result = ordered_json::object();
  for (const auto& [name, value] : axes) result[name] = value;
  return result;
}

void count_passes(const std::string& set, plan& in) {
  if (!in.counters.contains(set)) in.counters.emplace(set, plan_passes(set, in.on->silicon));
}

std::size_t cases_with(const plan& of, const std::string& set) {
  return static_cast<std::size_t>(std::count_if(of.cases.begin(), of.cases.end(), [&](const planned_case& c) {
    return c.status == "to_measure" && c.fits && c.what.protocol.wanted().counters == set;
  }));
}

std::size_t sampled_cases(const plan& of) {
  return static_cast<std::size_t>(std::count_if(of.cases.begin(), of.cases.end(), [](const planned_case& c) {
    return c.status == "to_measure" && c.fits && c.what.protocol.wanted().sampled;
  }));
}

ordered_json pass_json(const pass_plan& passes) {
  return {{"groups", passes.groups},
          {"passes", passes.passes ? ordered_json(*passes.passes) : ordered_json()},
          {"reason", passes.passes ? ordered_json() : ordered_json(passes.why_not_counted)},
          {"seconds_a_case", passes.seconds}};
}

std::string pass_text(const pass_plan& passes) {
  return passes.passes
             ? fmt::format("{} {}", *passes.passes, *passes.passes == 1 ? "pass" : "passes")
             : fmt::format("{} groups (passes not counted: {})", passes.groups, passes.why_not_counted);
}

ordered_json counters_json(const plan& of) {
  ordered_json sets = ordered_json::object();
  for (const auto& [set, passes] : of.counters) {
    sets[set] = {{"cases", cases_with(of, set)}};
    sets[set].update(pass_json(passes));
  }
  return sets;
}

std::string sampled_text(const plan& of) {
  if (!of.sampled) return "";
  return fmt::format("sampled forwards  {:>5} cases, {} a case, about {:.0f} s of host time\n",
                     sampled_cases(of), pass_text(*of.sampled), of.sampled->seconds);
}

std::string counters_text(const plan& of) {
  std::string text;
  for (const auto& [set, passes] : of.counters)
    text += fmt::format("  {:<16}{:>5} cases, {} a case, about {:.0f} ms of host time\n", set,
                        cases_with(of, set), pass_text(passes), 1e3 * passes.seconds);
  return text.empty() ? text : "counters on " + of.on->silicon + "\n" + text;
}

}  // namespace

std::size_t plan::count(const std::string& status) const {
  return static_cast<std::size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const planned_case& c) { return c.status == status; }));
}

double plan::seconds() const {
  return std::accumulate(cases.begin(), cases.end(), 0.0,
                         [](double sum, const planned_case& c) { return sum + c.seconds; });
}

const planned_case* plan::largest() const {
  const auto found = std::max_element(
      cases.begin(), cases.end(),
      [](const planned_case& a, const planned_case& b) { return a.device_bytes < b.device_bytes; });
  return found == cases.end() || found->status != "to_measure" ? nullptr : &*found;
}

std::size_t rotating_copies(std::size_t bytes, std::size_t l2_bytes) {
  return bytes == 0 ? 1 : 3 * l2_bytes / bytes + 1;
}

std::size_t device_bytes(std::size_t bytes, cache_state state, const chip& on) {
  const std::size_t copies = state == cache_state::rotating ? rotating_copies(bytes, on.l2_bytes) : 1;
  return copies * bytes + flush_bytes(state, on);
}

plan make_plan(const suite& from, const chip& on, const input_library& inputs, const std::string& filter) {
  plan result;
  result.on = &on;
  std::set<std::string> prepared;
  for (suite_case& c : expand(from, {false, on.compute_capability}, inputs, filter)) {
    planned_case planned;
    planned.what = std::move(c);
    const suite_case& what = planned.what;
    if (what.not_applicable) {
      planned.status = "not_applicable";
      planned.reason = *what.not_applicable;
      result.cases.push_back(std::move(planned));
      continue;
    }
    try {
      const std::size_t bytes = buffer_bytes(what, inputs);
      planned.status = "to_measure";
      planned.device_bytes = device_bytes(bytes, what.state, on);
      planned.fits = planned.device_bytes <= on.memory_bytes;
      const observations wanted = what.protocol.wanted();
      if (planned.fits && wanted.counters != no_counters) count_passes(wanted.counters, result);
      if (planned.fits && wanted.sampled && !result.sampled) result.sampled = plan_sampled_pass(on.silicon);
      if (planned.fits)
        planned.seconds = estimated_seconds(
            what, bytes, prepared.insert(case_id(what.operation->name, "", what.axes, "")).second, on,
            from.sampling);
    } catch (const input_missing& missing) {
      planned.status = "input_missing";
      planned.reason = missing.what();
    } catch (const input_unfit& unfit) {
      planned.status = "not_applicable";
      planned.reason = unfit.what();
    } catch (const bad_input& broken) {
      planned.status = "failed";
      planned.reason = broken.what();
    }
    result.cases.push_back(std::move(planned));
  }
  return result;
}

ordered_json to_json(const plan& of, const suite& from) {
  ordered_json result;
  result["suite"] = {{"name", from.name}, {"hash", from.hash}};
  result["chip"] = of.on->name;
  result["device_memory_bytes"] = of.on->memory_bytes;
  result["cases"] = of.cases.size();
  for (const char* status : {"to_measure", "not_applicable", "input_missing", "failed"})
    result[status] = of.count(status);
  const planned_case* largest = of.largest();
  result["largest"] = largest ? ordered_json{{"name", largest->what.id},
                                             {"device_bytes", largest->device_bytes},
                                             {"fits", largest->fits}}
                              : ordered_json();
  result["counters"] = counters_json(of);
  if (of.sampled) {
    result["sampled"] = {{"cases", sampled_cases(of)}};
    result["sampled"].update(pass_json(*of.sampled));
  }
  result["estimated_seconds"] = of.seconds();
  result["estimate"] = about_estimated_seconds;
  result["list"] = ordered_json::array();
  for (const planned_case& c : of.cases) {
    ordered_json entry{{"name", c.what.id},
                       {"operation", c.what.operation->name},
                       {"variant", std::string(c.what.variant_name())},
                       {"axes", axes_json(c.what.axes)},
                       {"cache_state", std::string(to_string(c.what.state))},
                       {"counters", c.what.protocol.wanted().counters},
                       {"sampled", c.what.protocol.wanted().sampled},
                       {"status", c.status}};
    if (c.status == "to_measure") {
      entry["device_bytes"] = c.device_bytes;
      entry["fits"] = c.fits;
      entry["estimated_seconds"] = c.seconds;
    } else {
      entry["reason"] = c.reason;
    }
    result["list"].push_back(std::move(entry));
  }
  return result;
}

std::string to_text(const plan& of, const suite& from) {
  std::string text = fmt::format("{}: {} cases on {}\n", from.name, of.cases.size(), of.on->name);
  text += fmt::format("  to measure      {:>5}\n  not applicable  {:>5}\n  input missing   {:>5}\n",
                      of.count("to_measure"), of.count("not_applicable"), of.count("input_missing"));
  if (const std::size_t broken = of.count("failed")) text += fmt::format("  input broken    {:>5}\n", broken);
  std::map<std::string, std::size_t> reasons;
  for (const planned_case& c : of.cases)
    if (!c.reason.empty()) ++reasons[c.reason];
  if (!reasons.empty()) text += "why cases are not measured\n";
  for (const auto& [reason, cases] : reasons) text += fmt::format("  {:>5} × {}\n", cases, reason);
  if (const planned_case* largest = of.largest()) {
    text += fmt::format("device memory     {} of {}: {}\n", bytes_text(largest->device_bytes),
                        bytes_text(of.on->memory_bytes), largest->fits ? "fits" : "does not fit");
    text += fmt::format("  largest case    {}\n", largest->what.id);
  }
  const auto too_large =
      std::count_if(of.cases.begin(), of.cases.end(), [](const planned_case& c) { return !c.fits; });
  if (too_large > 0) text += fmt::format("  {} cases will end as out_of_memory\n", too_large);
  text += counters_text(of);
  text += sampled_text(of);
  text += fmt::format("estimated time    {}\n  {}\n", seconds_text(of.seconds()), about_estimated_seconds);
  return text;
}

std::string bytes_text(std::size_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1000;
  const char* units[] = {"kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(units)) value /= 1000, ++unit;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string seconds_text(double seconds) {
  const auto whole = std::llround(std::ceil(seconds));
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace ablate
