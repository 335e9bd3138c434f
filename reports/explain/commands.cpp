#include "reports/explain/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/record/case_name.h"
#include "base/record/one_off_suite.h"
#include "base/text/shell.h"
#include "reports/views/rivals.h"

namespace ablate::explain {
namespace {

using reports::first_command;
using reports::shell_word;
using words = std::vector<std::string>;

bool is_flag(const std::string& word) {
  return word == "--resume" || word == "--overwrite" || word == "--timeline" || word == "--unchecked";
}

/// What `ablate run` was given.
struct run_words {
  std::optional<std::string> suite, seed, counters;
  words data;
  std::string overrides;  ///< the values that replaced the suite's, as options
};

/// Options that choose a suite's values; the first was `--set` before.
bool is_override(const std::string& name) {
  return name == "--axes" || name == "--set" || name == "--variants" || name == "--switch";
}

run_words run_words_of(const std::string& command) {
  run_words out;
  const words given = first_command(command);
  auto at = std::find(given.begin(), given.end(), "run");
  if (at == given.end()) return out;
  for (++at; at != given.end(); ++at) {
    if (!at->starts_with("-")) {
      if (!out.suite && at->ends_with(".json")) out.suite = *at;
      continue;
    }
    const std::size_t equals = at->find('=');
    const std::string name = at->substr(0, equals);
    words values;
    if (equals != std::string::npos)
      values.push_back(at->substr(equals + 1));
    else if (!is_flag(name) && at + 1 != given.end())
      values.push_back(*++at);
    if (name == "--seed" && !values.empty()) out.seed = values.front();
    if (name == "--counters" && !values.empty()) out.counters = values.front();
    if (name == "--data" && !values.empty()) out.data.push_back(values.front());
    if (!is_override(name)) continue;
    while (name != "--variants" && at + 1 != given.end() && !at[1].starts_with("-") &&
           at[1].find('=') != std::string::npos)
      values.push_back(*++at);
    out.overrides += " " + (name == "--set" ? "--axes" : name);
    for (const std::string& value : values) out.overrides += " " + shell_word(value);
  }
  return out;
}

/// What a run without a suite's file is given for one case.
std::string overrides_of(const case_name_parts& of) {
  std::string out = " --axes";
  for (const auto& [name, value] : of.axes) out += " " + shell_word(name + "=" + value);
  if (of.cache_state != "host") out += " cache=" + of.cache_state;
  return out + (of.variant == "reference" ? "" : " --variants " + shell_word(of.variant));
}

bool is_run_without_suite(const record& from, const run_words& given, const std::string& operation) {
  return !given.suite && from.suite_name == one_off_suite_name(operation);
}

std::string suite_word(const record& from, const run_words& given) {
  return shell_word(given.suite.value_or("suites/" + from.suite_name + ".json"));
}

}  // namespace

std::string run_of_variants(const record& from, const std::string& operation, const words& variants,
                            const axis_lists& axes) {
  const run_words given = run_words_of(from.command);
  std::string out =
      "ablate run " + (is_run_without_suite(from, given, operation) ? operation : suite_word(from, given));
  out += " --axes";
  for (const auto& [name, values] : axes)
    out += " " + shell_word(fmt::format("{}={}", name, fmt::join(values, ",")));
  out += " --variants " + shell_word(fmt::format("{}", fmt::join(variants, ",")));
  if (given.seed) out += " --seed " + shell_word(*given.seed);
  for (const std::string& directory : given.data) out += " --data " + shell_word(directory);
  if (given.counters) out += " --counters " + shell_word(*given.counters);
  return out + " --out out/attribute";
}

std::string exact_expression(const std::string& text) {
  constexpr std::string_view special = "^$\\.*+?()[]{}|";
  std::string out = "^";
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + "$";
}

case_commands commands_of(const record& from, const std::string& name, const std::string& operation,
                          const std::string& variant) {
  case_commands out;
  if (const auto* rival = reports::rival_of(from, operation, variant)) {
    out.note = fmt::format("measured by {}, which adds this variant to a record; `ablate run` lacks it",
                           rival->script);
    return out;
  }
  const run_words given = run_words_of(from.command);
  const bool is_one_off = is_run_without_suite(from, given, operation);
  const std::string suite = is_one_off ? operation : suite_word(from, given);
  std::string input = is_one_off ? overrides_of(parts_of_case_name(name)) : given.overrides;
  for (const std::string& directory : given.data) input += " --data " + shell_word(directory);

  out.run = fmt::format("ablate run {} --only {}{}{}{} --out out/one_case", suite, shell_word(name),
                        given.seed ? " --seed " + shell_word(*given.seed) : "", input,
                        from.on_gpu ? "" : " --device host");
  out.note = "`--only` runs no calibrations, so that record has no floors";
  if (!from.on_gpu) return out;
  const std::string launch =
      fmt::format("ablate dev launch {} --filter {}{}", suite, shell_word(exact_expression(name)), input);
  out.ncu =
      "ncu --profile-from-start off --cache-control none --clock-control none --nvtx --set full " + launch;
  out.nsys =
      "nsys profile --trace cuda,nvtx --capture-range cudaProfilerApi --capture-range-end stop "
      "--output one_case " +
      launch;
  out.nvtx_range = name;
  if (given.seed)
    out.note += fmt::format("; `dev launch` uses the suite's seed, not the record's {}", *given.seed);
  return out;
}

}  // namespace ablate::explain
