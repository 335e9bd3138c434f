#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "harness/cli/commands.h"
#include "reports/best/outputs.h"
#include "reports/text/bad_input.h"
#include "reports/text/json_text.h"
#include "reports/text/terminal.h"

namespace ablate {

namespace {

struct best_arguments {
  std::vector<std::string> words;
  bool json = false, all = false;
};

/// A word with '=' that is no file asks for a value.
bool asks_for_a_value(const std::string& word) {
  std::error_code error;
  return word.find('=') != std::string::npos && !std::filesystem::exists(word, error);
}

std::filesystem::path record_file_of(const std::string& word) {
  std::error_code error;
  return std::filesystem::is_directory(word, error) ? std::filesystem::path(word) / "record.json"
                                                    : std::filesystem::path(word);
}

void show_best(const best_arguments& given) {
  std::vector<std::string> values, files;
  for (const std::string& word : given.words) (asks_for_a_value(word) ? values : files).push_back(word);
  const std::vector<best::asked_values> asked = best::asked_of(values);
  if (files.empty()) throw bad_input("best", "", "expected a record before the values of axes");
  const reports::terminal on = reports::standard_output();
  auto json = nlohmann::ordered_json::array();
  std::string text;
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::exists(file, error))
      throw bad_input("best", "", fmt::format("'{}' is neither a record nor AXIS=VALUE", file));
    const record from = read_checked_record(record_file_of(file));
    const best::answer found = best::answer_of(from, asked);
    if (given.json)
      json.push_back(best::answer_json(found));
    else
      text += (text.empty() ? "" : "\n") +
              reports::wrapped(fmt::format("{}, {}, {:.10}", from.path.string(), from.device_name, from.date),
                               on) +
              best::answer_text(found, given.all, on);
  }
  if (given.json) text = reports::json_text(json.size() == 1 ? json.front() : json, 1) + "\n";
  fmt::print("{}", text);
}

}  // namespace

void add_best_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "best", "Which variant is fastest at these axis values: all of them, ranked. Needs no GPU");
  const auto given = std::make_shared<best_arguments>();
  command
      ->add_option(
          "record", given->words,
          "Records written by `ablate run`, or directories that hold a record.json, and axis values: "
          "points=300000 distribution=lidar; operation, variants and cache are named likewise, and "
          "several values separated by commas")
      ->required()
      ->type_name("RECORD... [AXIS=VALUE...]");
  command->add_flag("--all", given->all, "List every workload that fits, with its fastest variant");
  command->add_flag("--json", given->json, "Print JSON; of several records a list");
  command->footer(
      "Of the workloads that fit, those are ranked which otherwise have the values most frequent in the "
      "record; "
      "if these are many, each has a line. If a size was not measured, the measured ones nearest "
      "to it are shown instead, and a sentence says so: nothing is interpolated. Factors are over the "
      "operation's baseline, or over the next best variant where the baseline was not measured; above 1 is "
      "faster.");
  command->callback([given] { show_best(*given); });
}

}  // namespace ablate
