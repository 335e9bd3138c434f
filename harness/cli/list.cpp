#include <fmt/format.h>

#include <memory>

#include "harness/cli/catalog.h"
#include "harness/cli/commands.h"

namespace ablate {

void add_list_command(CLI::App& program, invocation&) {
  CLI::App* command =
      program.add_subcommand("list", "What can be run: operations with their axes and variants, and chips");
  const auto json = std::make_shared<bool>(false);
  command->add_flag(
      "--json", *json,
      "As JSON, with what each variant launches at the default axes on an H200: kernels, grid, "
      "block, dynamic "
      "shared memory, theoretical occupancy; and with registers, spills and static shared "
      "memory of every kernel "
      "for each GPU architecture. Needs no GPU; built without CUDA, it has them from the file that "
      "`kernels_from` names");
  command->footer("The names are those that suites use, and they are stable: a record refers to them.");
  command->callback([json] {
    if (*json)
      fmt::print("{}\n", catalog_json().dump(2));
    else
      fmt::print("{}", catalog_text());
  });
}

}  // namespace ablate
