#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "harness/cli/commands.h"
#include "harness/cli/gate_files.h"
#include "harness/cli/record_files.h"
#include "reports/compare/comparison.h"
#include "reports/compare/outputs.h"
#include "reports/text/bad_input.h"
#include "reports/text/json_text.h"
#include "reports/text/terminal.h"
#include "reports/text/text_file.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;

struct compare_arguments {
  names records, baseline, candidate, allow;
  std::string policy, floors, json, markdown;
  bool all = false, strict = false;
};

std::vector<record> read_side(const names& paths) {
  std::vector<record> out;
  for (const std::filesystem::path& path : files_of_records(paths)) out.push_back(read_record(path));
  return out;
}

int run_comparison(compare_arguments given) {
  const bool by_name = !given.baseline.empty() || !given.candidate.empty();
  if (!by_name && given.records.size() == 2) {
    given.baseline = {given.records[0]};
    given.candidate = {given.records[1]};
    given.records.clear();
  }
  if (!given.records.empty() || given.baseline.empty() || given.candidate.empty())
    throw bad_input("compare", "",
                    "expected a baseline and a candidate: two records, or --baseline RECORD... --candidate "
                    "RECORD...");
  std::set<compare::agreement> allowed;
  for (const std::string& word : given.allow) allowed.insert(compare::agreement_named(word));
  const gate::gate_policy policy = gate::read_policy(
      given.policy.empty() ? shipped_gate_file("default.json") : std::filesystem::path(given.policy));

  std::optional<gate::noise_floors> floors;
  if (!given.floors.empty()) floors = gate::read_floors(given.floors);
  const compare::record_comparison made = compare::compare_records(
      read_side(given.baseline), read_side(given.candidate), policy, allowed, floors ? &*floors : nullptr);
  if (!given.json.empty())
    reports::write_text_file(given.json,
                             reports::json_text(compare::comparison_json(made, given.strict), 1) + "\n");
  if (!given.markdown.empty()) reports::write_text_file(given.markdown, compare::comparison_markdown(made));
  fmt::print("{}", compare::comparison_text(made, given.all, reports::standard_output()));
  return compare::exit_code_of(made, given.strict);
}

}  // namespace

void add_compare_command(CLI::App& program, invocation& called) {
  CLI::App* command =
      program.add_subcommand("compare", "Compare records of two builds case by case. Needs no GPU");
  const auto given = std::make_shared<compare_arguments>();
  command
      ->add_option("records", given->records,
                   "The baseline's record and the candidate's: files written by `ablate run`, or directories "
                   "that hold a record.json")
      ->type_name("RECORD");
  command
      ->add_option("--baseline", given->baseline,
                   "Several records of the baseline, one for each process launch")
      ->type_name("RECORD...");
  command->add_option("--candidate", given->candidate, "The same for the candidate")->type_name("RECORD...");
  command->add_option("--policy", given->policy, "Policy of the gate; default: suites/gates/default.json")
      ->type_name("FILE");
  command
      ->add_option("--floors", given->floors,
                   "Noise floors from `ablate calibrate`: below its floor no case is SLOWER")
      ->type_name("FILE");
  command
      ->add_option(
          "--allow", given->allow,
          fmt::format("What may differ between the sides: {}", fmt::join(compare::agreement_names(), ", ")))
      ->type_name("KIND")
      ->allow_extra_args(false);
  command->add_option("--json", given->json, "Write the comparison as JSON")->type_name("FILE");
  command->add_option("--markdown", given->markdown, "Write the comparison as Markdown")->type_name("FILE");
  command->add_flag("--all", given->all, "Print every case, those that are SAME too");
  command->add_flag("--strict", given->strict, "Exit with 4 when a case is INCONCLUSIVE, GONE or UNMEASURED");
  command->footer(
      "Exit codes: 0 nothing is SLOWER; 1 a case is SLOWER; 2 the records cannot be compared; 3 a result of "
      "the candidate is wrong; 4 the environment is suspected, no case could be judged, or something is "
      "INCONCLUSIVE or missing under --strict; 75 a case of the candidate failed to run. Two records of one "
      "launch each cannot tell small effects: `ablate gate` can.");
  command->callback([given, &called] { called.exit_code = run_comparison(*given); });
}

}  // namespace ablate
