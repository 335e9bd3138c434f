#include <fmt/format.h>

#include <memory>

#include "base/record/old_names.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "harness/build_facts.h"
#include "harness/cli/catalog.h"
#include "harness/cli/commands.h"
#include "harness/registry/registry.h"

namespace ablate {

namespace {

struct list_arguments {
  std::string operation, pairs;
  bool json = false, all = false, meanings = false;
};

const operation& operation_named(const std::string& name) {
  if (const operation* found = find_operation(name)) return *found;
  if (const std::string today = old_names::known().todays_operation(name); today != name)
    if (const operation* found = find_operation(today)) {
      print_todays_names(name, today);
      return *found;
    }
  std::vector<std::string> known;
  for (const auto& of : operations()) known.push_back(of->name);
  throw bad_input("list", "", no_such("operation", name, known));
}

void list(const list_arguments& given) {
  const reports::terminal on = reports::standard_output();
  if (!given.operation.empty()) {
    const operation& of = operation_named(given.operation);
    fmt::print("{}", given.json             ? catalog_json(of).dump(2) + "\n"
                     : !given.pairs.empty() ? pairs_text(of, given.pairs, on)
                     : given.meanings       ? catalog_text(of, on)
                                            : space_catalog_text(of, on));
  } else if (given.json) {
    fmt::print("{}\n", catalog_json().dump(2));
  } else if (given.all) {
    fmt::print("{}", whole_catalog_text(on));
  } else {
    fmt::print(
        "{}\n`{} list OPERATION` lists an operation's axes, switches and variants, `--all` those of all "
        "operations\n",
        catalog_text(on), this_build().program);
  }
}

}  // namespace

void add_list_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "list", "List operations and known chips, or the axes, switches and variants of one operation");
  const auto given = std::make_shared<list_arguments>();
  CLI::Option* operation = command
                               ->add_option("operation", given->operation,
                                            "List its axes, switches with their values, and variants")
                               ->type_name("OPERATION");
  command->add_flag("--all", given->all, "List the axes and variants of every operation");
  command->add_flag("--meanings", given->meanings,
                    "Explain each axis, switch and variant of the operation, and which kernels it launches");
  command
      ->add_option(
          "--pairs", given->pairs,
          "List the pairs of points that differ only in this switch of the operation: they measure what it "
          "is worth")
      ->type_name("SWITCH")
      ->needs(operation);
  command->add_flag("--json", given->json,
                    "Print JSON, with each variant's launches on an H200 at the default axes (kernels, grid, "
                    "block, dynamic shared memory, theoretical occupancy), and every kernel's registers, "
                    "spills and static shared memory on each GPU architecture. Needs no GPU; a build without "
                    "CUDA reads these from the committed file named in `kernels_from`");
  command->footer("Suites and records use these names.");
  command->callback([given] { list(*given); });
}

}  // namespace ablate
