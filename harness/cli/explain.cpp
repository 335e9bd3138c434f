#include <fmt/format.h>

#include <memory>

#include "base/record/record_file.h"
#include "base/text/json_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "harness/counters/metric_groups.h"
#include "reports/explain/find_case.h"
#include "reports/explain/outputs.h"
#include "reports/views/launched_record.h"

namespace ablate {

namespace {

constexpr int ambiguous_name = 2;

struct explain_arguments {
  std::string record;
  std::vector<std::string> parts;
  bool json = false, all_counters = false;
};

explain::counter_meanings meanings_of_counters() {
  explain::counter_meanings out;
  for (const auto& [name, facts] : counters().metrics) out[name] = {facts.display, facts.unit};
  return out;
}

int explain_one_case(const explain_arguments& given) {
  const reports::launched_record read(files_of_records({given.record}).front(),
                                      reports::further_launches_in(given.record));
  const record& from = read.shown();
  const std::vector<std::string> found = explain::cases_with(from, given.parts);
  if (found.size() > 1) {
    fmt::print(stderr, "ablate: {}: {}", from.path.string(), explain::ambiguity_text(found));
    return ambiguous_name;
  }
  const explain::explanation made =
      explain::explain_case(from, found[0], meanings_of_counters(), read.launches());
  if (given.json)
    fmt::print("{}\n", reports::json_text(explain::explanation_json(made), 1));
  else
    fmt::print("{}", explain::explanation_text(made, given.all_counters));
  return 0;
}

}  // namespace

void add_explain_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand("explain",
                                             "One case of a record: time, floors, counters, kernels, "
                                             "neighbors, how to run it again. Needs no GPU");
  const auto given = std::make_shared<explain_arguments>();
  command
      ->add_option(
          "record", given->record,
          "A record written by `ablate run`, or a directory with a record.json and any further launches")
      ->required()
      ->type_name("RECORD");
  command
      ->add_option(
          "case", given->parts,
          "The case's id, or words that only it has: axis=value, or an operation, variant, value or cache "
          "state in full, separated by spaces or slashes: hopper_bounded/tokens=131072 width=32")
      ->required()
      ->type_name("CASE...");
  command->add_flag("--json", given->json, "Print everything as one JSON object");
  command->add_flag("--all-counters", given->all_counters,
                    "List all counters of the case, with their meanings");
  command->footer("Exit code 2 if no case fits, or if several do; they are listed.");
  command->callback([given, &called] { called.exit_code = explain_one_case(*given); });
}

}  // namespace ablate
