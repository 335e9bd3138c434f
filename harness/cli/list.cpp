#include <fmt/format.h>

#include <memory>

#include "harness/cli/catalog.h"
#include "harness/cli/commands.h"

namespace ablate {

void add_list_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "list", "List operations with their axes and variants, and the chips that Ablate knows");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json,
                    "Print JSON, which also has what each variant launches on an H200 at the default axes "
                    "(kernels, grid, block, dynamic shared memory, theoretical occupancy), and every "
                    "kernel's registers, spills and static shared memory on each GPU architecture. Needs no "
                    "GPU; a build without CUDA takes this from the committed file named in `kernels_from`");
  command->footer("Suites use these names. They do not change, because records refer to them.");
  command->callback([json] {
    if (*json)
      fmt::print("{}\n", catalog_json().dump(2));
    else
      fmt::print("{}", catalog_text());
  });
}

}  // namespace ablate
