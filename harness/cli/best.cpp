#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/record/old_selection.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/terminal.h"
#include "base/text/text.h"
#include "harness/cli/commands.h"
#include "harness/cli/prediction_files.h"
#include "harness/cli/record_files.h"
#include "reports/best/outputs.h"
#include "reports/views/launched_record.h"

namespace ablate {

namespace {

struct best_arguments {
  std::vector<std::string> words;
  bool json = false, all = false;
  std::string by = std::string(name_of(reports::merit::time));
  std::string on;
};

constexpr reports::merit merits[] = {reports::merit::time, reports::merit::energy,
                                     reports::merit::energy_delay};

reports::merit merit_named(const std::string& word) {
  for (const reports::merit one : merits)
    if (name_of(one) == word) return one;
  throw bad_input("best", "", fmt::format("'--by {}' is no merit", word));
}

std::vector<std::string> merit_words() {
  std::vector<std::string> out;
  for (const reports::merit one : merits) out.emplace_back(name_of(one));
  return out;
}

/// A word with '=' that is no file requests a value.
bool asks_for_a_value(const std::string& word) {
  std::error_code error;
  return word.find('=') != std::string::npos && !std::filesystem::exists(word, error);
}

using read_records = std::vector<std::unique_ptr<reports::launched_record>>;

read_records records_in(const std::vector<std::string>& files) {
  if (files.empty()) throw bad_input("best", "", "expected a record before the axis values");
  std::error_code error;
  for (const std::string& file : files)
    if (!std::filesystem::exists(file, error))
      throw bad_input("best", "", fmt::format("'{}' is neither a record nor AXIS=VALUE", file));
  read_records out;
  for (const collected_record& of : launches_of_collections(files))
    out.push_back(std::make_unique<reports::launched_record>(of.record, of.further));
  return out;
}

/// Of records that were named one by one, each has to have what is asked for. Of all records of a folder, one
/// has to.
std::vector<best::answer> answers_of(const read_records& records, const std::vector<std::string>& asked,
                                     reports::merit by, bool each) {
  std::vector<best::answer> out;
  std::optional<bad_input> refused;
  for (const auto& from : records) try {
      out.push_back(best::answer_of(from->shown(), asked, by, from->launches()));
    } catch (const bad_input& why) {
      if (each) throw;
      refused = why;
    }
  if (!out.empty()) return out;
  // What none of the records has is told with the nearest name of all of them.
  std::vector<case_words> all;
  for (const auto& from : records)
    for (case_words& c : all_case_words(from->shown())) all.push_back(std::move(c));
  const case_vocabulary known(all);
  for (const std::string& word : todays_terms(asked, all))
    known.term(word, "best", case_vocabulary::sizes::any);
  throw *refused;
}

/// The operation that is asked for, by its term, which is taken away, or as the only one of the records.
std::string operation_among(std::vector<selection_term>& terms,
                            const std::vector<predict::seen_record>& records) {
  std::vector<std::string> known;
  for (const predict::seen_record& r : records)
    for (const predict::seen_case& c : r.cases)
      if (std::find(known.begin(), known.end(), c.operation) == known.end()) known.push_back(c.operation);
  const auto found =
      std::find_if(terms.begin(), terms.end(), [](const auto& t) { return t.name == "operation"; });
  if (found != terms.end()) {
    const std::string name = found->values.front();
    terms.erase(found);
    return name;
  }
  if (known.size() != 1)
    throw bad_input("best", "",
                    fmt::format("expected operation=NAME, one of '{}'", reports::joined(known, "', '")));
  return known.front();
}

/// What was measured on the chip, and predictions of the rest, marked as such.
void show_best_on(const best_arguments& given, const std::vector<std::string>& values,
                  const read_records& records) {
  const predict::model_file model = predict::read_model(shipped_model());
  const predict::target on = prediction_target(given.on, "", model);
  std::vector<predict::seen_record> seen;
  for (const auto& from : records) seen.push_back(seen_of(from->shown()));
  std::vector<selection_term> terms = predicted_terms(values);
  const std::string operation = operation_among(terms, seen);
  const predict::answer found = predict::answered({operation, terms, on, false}, seen, model, sheet_of_chip);
  fmt::print("{}", given.json ? reports::json_text(predict::answer_json(found), 1) + "\n"
                              : predict::answer_text(found, reports::standard_output()));
}

void show_best(const best_arguments& given) {
  std::vector<std::string> values, files;
  for (const std::string& word : given.words) (asks_for_a_value(word) ? values : files).push_back(word);
  const read_records records = records_in(files);
  if (!given.on.empty()) return show_best_on(given, values, records);
  const std::vector<best::answer> found =
      answers_of(records, values, merit_named(given.by), records.size() == files.size());
  const reports::terminal on = reports::standard_output();
  auto json = nlohmann::ordered_json::array();
  std::string text;
  for (const best::answer& answer : found) {
    const record& from = *answer.from;
    if (given.json)
      json.push_back(best::answer_json(answer));
    else
      text += (text.empty() ? "" : "\n") +
              reports::wrapped(fmt::format("{}, {}, {:.10}", from.path.string(), from.device_name, from.date),
                               on) +
              best::answer_text(answer, given.all, on);
  }
  if (found.size() < records.size())
    text += fmt::format("\n{} further records have no such case\n", records.size() - found.size());
  if (given.json) text = reports::json_text(records.size() == 1 ? json.front() : json, 1) + "\n";
  fmt::print("{}", text);
}

}  // namespace

void add_best_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "best", "Rank all variants at these axis values by time or energy. Needs no GPU");
  const auto given = std::make_shared<best_arguments>();
  command
      ->add_option(
          "record", given->words,
          "Records written by `ablate run`, directories with a record.json, or directories of those "
          "(results/h200), and axis values: points=300000 distribution=lidar. operation, variant and cache "
          "work the same way; separate several values by commas. Values match exactly")
      ->required()
      ->type_name("RECORD... [AXIS=VALUE...]");
  command->add_flag("--all", given->all, "List every workload that fits, with its fastest variant");
  command
      ->add_option("--by", given->by,
                   "Rank by the median time, by the energy of a launch, or by their product: time, energy, "
                   "energy-delay. Energy needs \"energy\": true in the suite")
      ->check(CLI::IsMember(merit_words()))
      ->capture_default_str()
      ->type_name("MERIT");
  command
      ->add_option(
          "--on", given->on,
          "On this chip: what these records measured there, and by `ablate predict` what they measured elsewhere or "
          "at other sizes; each prediction is marked")
      ->type_name("CHIP");
  command->add_flag("--json", given->json, "Print JSON; for several records a list");
  command->footer(
      "If several workloads fit, those with the values most frequent in the record are ranked; if there are "
      "many, each has a line. If a size was not measured, the nearest measured sizes are shown, and a "
      "sentence says so: nothing is interpolated. Factors are over the operation's baseline, or over the "
      "next best variant if the baseline was not measured; above 1 is faster. Factors are always of time.");
  command->callback([given] { show_best(*given); });
}

}  // namespace ablate
