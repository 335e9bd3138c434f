// The formats of results (T4) and of spaces (T1) that Kernel Tuner and others share:
// github.com/AutoTuningAssociation/autotuning_methodology, schemas/T4.json; github.com/odgaard/TuningSchema.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/ablation/pairs.h"
#include "reports/search/outputs.h"

namespace ablate::search {
namespace {

using nlohmann::ordered_json;

/// Each switch with its values, both in order of appearance; `off` is the first.
using switch_domain = std::vector<std::pair<std::string, std::vector<std::string>>>;

switch_domain domain_of(const space& of) {
  switch_domain out;
  for (const point& p : of.points())
    for (const auto& [name, value] : p.values) {
      auto at = std::ranges::find(out, name, &switch_domain::value_type::first);
      if (at == out.end()) at = out.insert(out.end(), {name, {}});
      if (std::ranges::find(at->second, value) == at->second.end()) at->second.push_back(value);
    }
  for (auto& [name, values] : out)
    if (std::ranges::any_of(of.points(), [&](const point& p) { return !find_word(p.values, name); }))
      values.insert(values.begin(), reports::off_value);
  return out;
}

std::string value_at(const point& p, const std::string& name) {
  const std::string* found = find_word(p.values, name);
  return found ? *found : reports::off_value;
}

bool is_whole(const std::string& text) {
  constexpr std::size_t most_digits = 15;
  return !text.empty() && text.size() <= most_digits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         (text == "0" || text.front() != '0');
}

/// A number where it is one.
ordered_json t4_value(const std::string& text) {
  return is_whole(text) ? ordered_json(std::stoll(text)) : ordered_json(text);
}

ordered_json configuration_of(const point& p, const switch_domain& switches) {
  ordered_json out = {{"point", p.name}};
  for (const auto& [name, values] : switches) out[name] = t4_value(value_at(p, name));
  return out;
}

const char* invalidity_of(const std::string& status) {
  static const std::map<std::string, const char*> words = {{"ok", "correct"},
                                                           {"wrong", "correctness"},
                                                           {"timeout", "timeout"},
                                                           {"not_applicable", "constraints"},
                                                           {"input_missing", "constraints"}};
  const auto found = words.find(status);
  return found == words.end() ? "runtime" : found->second;
}

ordered_json result_of(const point& p, const std::vector<answer>& answers, const switch_domain& switches) {
  ordered_json runtimes = ordered_json::array();
  std::string status = "ok";
  std::optional<double> first;
  for (const answer& a : answers) {
    if (a.time) runtimes.push_back(a.time->median_us);
    if (a.time && !first) first = a.time->median_us;
    if (status == "ok") status = a.status;
  }
  ordered_json measurements = ordered_json::array();
  if (first && status == "ok")
    measurements.push_back({{"name", "time"}, {"value", *first}, {"unit", "microseconds"}});
  return {{"configuration", configuration_of(p, switches)},
          {"objectives", {"time"}},
          {"times", {{"runtimes", runtimes}}},
          {"invalidity", invalidity_of(status)},
          {"correctness", status == "ok" ? 1 : 0},
          {"measurements", measurements}};
}

/// As Python has it, which T1's expressions are.
std::string python_value(const std::string& text) {
  return is_whole(text) ? text : fmt::format("'{}'", text);
}

std::string python_list(const std::vector<std::string>& values) {
  std::vector<std::string> out;
  for (const std::string& value : values) out.push_back(python_value(value));
  return fmt::format("[{}]", fmt::join(out, ", "));
}

/// "(smem, threads) in [('off', 256), ('on', 512)]": exact, whatever made the combinations what they are.
std::string combinations_text(const space& of, const switch_domain& switches,
                              const std::vector<std::string>& names) {
  std::vector<std::string> tuples;
  for (const point& p : of.points()) {
    if (!p.why_not.empty()) continue;
    std::string tuple;
    for (const auto& [name, values] : switches) tuple += python_value(value_at(p, name)) + ", ";
    tuples.push_back("(" + tuple + ")");
  }
  return fmt::format("({}, ) in [{}]", fmt::join(names, ", "), fmt::join(tuples, ", "));
}

}  // namespace

ordered_json t4_json(const result& r) {
  const switch_domain switches = domain_of(*r.of);
  ordered_json results = ordered_json::array();
  for (std::size_t p = 0; p < r.of->points().size(); ++p)
    if (r.found.seen.was_asked(p))
      results.push_back(result_of(r.of->points()[p], r.found.seen.of(p), switches));
  return {{"schema_version", "1.1.0"},
          {"metadata",
           {{"compute_api", "CUDA"},
            {"device", r.device},
            {"autotuner", "Ablate"},
            {"autotuner_version", r.program_version},
            {"timestamp", r.date},
            {"timeunit", "microseconds"}}},
          {"results", results}};
}

ordered_json t1_json(const result& r) {
  const switch_domain switches = domain_of(*r.of);
  ordered_json parameters = ordered_json::array();
  std::vector<std::string> names;
  for (const auto& [name, values] : switches) {
    names.push_back(name);
    const bool are_whole = std::ranges::all_of(values, is_whole);
    parameters.push_back(
        {{"Name", name}, {"Type", are_whole ? "int" : "string"}, {"Values", python_list(values)}});
  }
  ordered_json conditions = ordered_json::array();
  if (!names.empty())
    conditions.push_back({{"Parameters", names}, {"Expression", combinations_text(*r.of, switches, names)}});
  return {{"ConfigurationSpace", {{"TuningParameters", parameters}, {"Conditions", conditions}}},
          {"General", {{"FormatVersion", 1}, {"TimeUnit", "Microseconds"}, {"OutputFormat", "JSON"}}},
          {"KernelSpecification",
           {{"Language", "CUDA"},
            {"KernelName", r.asked.operation},
            {"KernelFile", "variants/" + r.asked.operation + ".cpp"},
            {"GlobalSize", {{"X", "1"}}},
            {"LocalSize", {{"X", "1"}}}}}};
}

}  // namespace ablate::search
