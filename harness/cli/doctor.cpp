#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "harness/cli/commands.h"
#include "harness/cli/doctor_checks.h"
#include "harness/cli/inputs.h"

namespace ablate {

namespace {

constexpr int requirement_fails = 1;

struct doctor_arguments {
  bool json = false;
  std::vector<std::string> required, data;
};

void require_known(const std::vector<std::string>& required) {
  const std::vector<std::string> known = doctor_items();
  for (const std::string& item : required)
    if (std::find(known.begin(), known.end(), item) == known.end())
      throw bad_input("--require", "", no_such("item", item, known));
}

}  // namespace

void add_doctor_command(CLI::App& program, invocation& called) {
  CLI::App* command =
      program.add_subcommand("doctor", "Check what this machine lacks for measuring, and how to fix it");
  const auto given = std::make_shared<doctor_arguments>();
  command
      ->add_option(
          "--require", given->required,
          fmt::format("Exit with 1 unless all of these items are OK (separate them by commas). Items: {}",
                      fmt::join(doctor_items(), ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ITEM,...");
  add_data_option(*command, given->data);
  command->add_flag("--json", given->json, "Print JSON: item, status (OK, WARN, MISSING), detail, remedy");
  command->footer(
      "Without --require the exit code is always 0, because everything but measuring works without a GPU.");
  command->callback([given, &called] {
    require_known(given->required);
    const std::vector<finding> findings = examine(this_machine(data_directories(given->data)));
    if (given->json)
      fmt::print("{}\n", reports::json_text(to_json(findings), 2));
    else
      fmt::print("{}", to_text(findings));
    for (const finding& f : findings) {
      const bool required =
          std::find(given->required.begin(), given->required.end(), f.item) != given->required.end();
      if (!required || f.found == finding::level::ok) continue;
      fmt::print(stderr, "ablate: required but not OK: {}: {}\n", f.item, f.detail);
      called.exit_code = requirement_fails;
    }
  });
}

}  // namespace ablate
