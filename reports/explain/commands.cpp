#include "reports/explain/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "reports/text/shell.h"
#include "reports/views/rivals.h"

namespace ablate::explain {
namespace {

using reports::first_command;
using reports::shell_word;
using words = std::vector<std::string>;

bool is_flag(const std::string& word) {
  return word == "--resume" || word == "--timeline" || word == "--unchecked";
}

/// What `ablate run` was given.
struct run_words {
  std::optional<std::string> suite, seed;
  words data, set;
};

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
    std::string value;
    if (equals != std::string::npos)
      value = at->substr(equals + 1);
    else if (!is_flag(name) && at + 1 != given.end())
      value = *++at;
    if (name == "--seed") out.seed = value;
    if (name == "--data") out.data.push_back(value);
    if (name == "--set") out.set.push_back(value);
  }
  return out;
}

}  // namespace

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
    out.note = fmt::format("measured by {}, which adds this variant to a record; `ablate run` has it not",
                           rival->script);
    return out;
  }
  const run_words given = run_words_of(from.command);
  const std::string suite = shell_word(given.suite.value_or("suites/" + from.suite_name + ".json"));
  std::string input;
  for (const std::string& assignment : given.set) input += " --set " + shell_word(assignment);
  for (const std::string& directory : given.data) input += " --data " + shell_word(directory);

  out.run = fmt::format("ablate run {} --only {}{}{}{} --out out/one_case", suite, shell_word(name),
                        given.seed ? " --seed " + shell_word(*given.seed) : "", input,
                        from.on_gpu ? "" : " --device host");
  out.note = "`--only` runs no calibration, so that record has no floors";
  if (!from.on_gpu) return out;
  const std::string launch =
      fmt::format("ablate launch {} --filter {}{}", suite, shell_word(exact_expression(name)), input);
  out.ncu =
      "ncu --profile-from-start off --cache-control none --clock-control none --nvtx --set full " + launch;
  out.nsys =
      "nsys profile --trace cuda,nvtx --capture-range cudaProfilerApi --capture-range-end stop "
      "--output one_case " +
      launch;
  out.nvtx_range = name;
  if (given.seed)
    out.note += fmt::format("; `launch` takes the suite's seed, not the record's {}", *given.seed);
  return out;
}

}  // namespace ablate::explain
