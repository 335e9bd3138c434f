#include "harness/cli/static_diff.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/text_file.h"
#include "harness/cli/affected_cases.h"
#include "harness/cli/chip_option.h"
#include "harness/cli/describing_program.h"
#include "harness/cli/inputs.h"
#include "harness/cli/requested_launches.h"

namespace ablate {
namespace {

constexpr int something_changed = 1;

struct launches_arguments {
  std::string suite, chip = "h100", filter, out;
  std::vector<std::string> data;
  bool inputs = false;
  int fill = -1;
};

/// This program, at other addresses, with stack and heap filled with a byte.
std::unique_ptr<describing_program> described_with(const launches_arguments& given, int fill) {
  return std::make_unique<describing_program>(
      std::filesystem::read_symlink("/proc/self/exe"),
      launches_request{given.suite, given.chip, given.filter, given.data, given.inputs},
      std::vector<std::string>{"--stack-fill", std::to_string(fill)},
      std::vector<std::string>{"MALLOC_PERTURB_=" + std::to_string(fill)});
}

struct diff_arguments {
  compared_builds of;
  std::string json, markdown;
  bool all = false;
};

void add_filter_option(CLI::App& command, std::string& filter) {
  command
      .add_option("--filter", filter,
                  "Only cases with these values, as in 'points=1024 variant=direct'; any other text is a "
                  "regular expression (ECMAScript) to search for in ids")
      ->type_name("AXIS=VALUE...|RE");
}

constexpr const char* chip_help = "The chip whose machine code and geometry count [h100]";

}  // namespace

void add_static_launches(CLI::App& to) {
  CLI::App* command = to.add_subcommand(
      "launches", "Write this program's launches for each case of a suite, with hashes of the machine code");
  const auto given = std::make_shared<launches_arguments>();
  command->add_option("suite", given->suite, "The cases")->required()->type_name("FILE");
  add_chip_option(*command, given->chip, chip_help);
  add_filter_option(*command, given->filter);
  add_data_option(*command, given->data);
  command->add_flag("--inputs", given->inputs,
                    "Also make and hash every input, which takes as long as in a run");
  command->add_option("--out", given->out, "Where")->required()->type_name("FILE");
  command->add_option("--stack-fill", given->fill)->group("");
  command->callback([given] {
    const suite from = read_suite(given->suite);
    const chip& on = chip_named(given->chip);
    gate::program_launches found;
    if (given->fill >= 0) {
      found = requested_launches(from, on, make_input_library(from, given->data), given->filter,
                                 given->inputs, static_cast<unsigned char>(given->fill));
    } else {
      // A byte that nobody sets may look alike in two processes; in four it hardly does.
      constexpr int fills[] = {0x55, 0xaa, 0x33, 0xcc};
      std::vector<std::unique_ptr<describing_program>> descriptions;
      for (const int fill : fills) descriptions.push_back(described_with(*given, fill));
      found = descriptions.front()->read();
      for (std::size_t i = 1; i < descriptions.size(); ++i) mark_unset_bytes(found, descriptions[i]->read());
    }
    reports::write_text_file(given->out, reports::json_text(to_json(found), 1) + "\n");
    fmt::print("{}: launches of {} cases on an {}\n", given->out, found.cases.size(), found.chip);
  });
}

void add_static_diff(CLI::App& to, invocation& called) {
  CLI::App* command = to.add_subcommand(
      "diff", "Say which cases of a suite a change can affect, and why; exit code 1 if there are any");
  const auto given = std::make_shared<diff_arguments>();
  given->of.chip = "h100";
  command
      ->add_option("baseline", given->of.baseline,
                   "The baseline's program, or a file that its `static launches` wrote")
      ->required()
      ->type_name("BIN|FILE");
  command->add_option("candidate", given->of.candidate, "The same for the candidate")
      ->required()
      ->type_name("BIN|FILE");
  command->add_option("suite", given->of.suite, "The cases: a suite that both builds can run")
      ->required()
      ->type_name("FILE");
  add_chip_option(*command, given->of.chip, chip_help);
  add_filter_option(*command, given->of.filter);
  add_data_option(*command, given->of.data);
  command->add_flag("--all", given->all, "Also print unaffected cases");
  command->add_option("--json", given->json, "Write the list, for `ablate gate --changed FILE`")
      ->type_name("FILE");
  command->add_option("--markdown", given->markdown, "Write tables as Markdown")->type_name("FILE");
  command->footer(
      "Kernels count as changed if what runs differs: instructions, registers, stack, shared memory, constants, "
      "launch bounds. Line tables, paths and host code that does not reach a launch do not count. A case is "
      "also affected if its grid, block, shared memory, arguments, number of launches or input differ. Needs no "
      "GPU; both builds must come from the same CUDA compiler.");
  command->callback([given, &called] {
    const gate::affected found = affected_cases(given->of);
    if (!given->json.empty())
      reports::write_text_file(given->json, reports::json_text(to_json(found), 1) + "\n");
    if (!given->markdown.empty()) reports::write_markdown_file(given->markdown, affected_markdown(found));
    fmt::print("{}", affected_text(found, given->all));
    if (found.affected_count() > 0) called.exit_code = something_changed;
  });
}

}  // namespace ablate
