#include "harness/suite/plan.h"

#include <fmt/format.h>

#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/inputs.h"
#include "reports/text/bad_input.h"
#include "reports/text/names.h"

namespace ablate {

namespace {

struct plan_arguments {
  std::string suite, chip = "h200", filter;
  bool json = false;
  std::vector<std::string> data;
};

const chip& chip_named(const std::string& name) {
  if (const chip* found = find_chip(name)) return *found;
  std::vector<std::string> known;
  for (const std::vector<chip>* all : {&chips(), &other_boards()})
    for (const chip& c : *all) known.push_back(c.name);
  throw bad_input("--chip", "", no_such("chip", name, known));
}

}  // namespace

void add_plan_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "plan",
      "What a suite would run on a chip: cases, device memory, passes of counters, time. Needs no GPU");
  const auto given = std::make_shared<plan_arguments>();
  command->add_option("suite", given->suite, "The suite to plan, a JSON file as in suites/")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--chip", given->chip,
                   "The chip to plan for: a100 (SXM4, 80 GB), h100 (SXM5, 80 GB), h200 (141 GB), or by their "
                   "data sheets a100_40gb, a100_pcie or h100_pcie. It "
                   "decides which cases "
                   "apply, how much memory there is, and the size of the cache that is flushed [h200]")
      ->type_name("NAME");
  command
      ->add_option(
          "--filter", given->filter,
          "Plan only the cases whose id holds a match of this regular expression (ECMAScript), as in "
          "'smem_.*distribution=lidar'; the calibrations that give every record its ceilings stay")
      ->type_name("RE");
  add_data_option(*command, given->data);
  command->add_flag("--json", given->json,
                    "As JSON, with the list of cases: id, status or reason, device bytes, seconds");
  command->footer(
      "A suite whose axes multiply to more cases than its maximum_cases (1000 unless it says otherwise) is "
      "refused with the "
      "count. A case whose point file is not found is listed as input_missing, one whose file is broken as "
      "failed, "
      "one whose file holds too little as not_applicable.");
  command->callback([given] {
    const suite from = read_suite(given->suite);
    const plan planned =
        make_plan(from, chip_named(given->chip), make_input_library(from, given->data), given->filter);
    if (given->json)
      fmt::print("{}\n", to_json(planned, from).dump(2));
    else
      fmt::print("{}", to_text(planned, from));
  });
}

}  // namespace ablate
