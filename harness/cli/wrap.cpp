#include "harness/cli/wrap.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "base/text/bad_input.h"
#include "harness/cli/commands.h"
#include "harness/wrapped/add_plugin.h"
#include "harness/wrapped/wrapped_operation.h"

namespace ablate {

namespace {

/// A shared object is a plugin; else it must be a description.
void add_file(const char* path) {
  char begin[4] = {};
  std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
  if (std::string_view(begin, sizeof begin) ==
      "\x7f"
      "ELF")
    wrapped::add_plugin(path);
  else
    wrapped::add_wrapped(path);
}

}  // namespace

std::vector<const char*> with_wrapped_files(std::vector<const char*> words,
                                            const std::vector<std::string>& commands) {
  if (words.size() < 3 || std::string_view(words[1]) != "wrap" || words[2][0] == '-') return words;
  const auto command = std::find_if(words.begin() + 2, words.end(), [&](std::string_view word) {
    return word != "wrap" && std::find(commands.begin(), commands.end(), word) != commands.end();
  });
  if (command == words.end())
    throw bad_input("wrap", "",
                    "expected a command after the files, as in `ablate wrap add.json run suite.json`");
  const bool is_dev = std::string_view(*command) == "dev" && command + 1 != words.end();
  if (is_dev && std::string_view(command[1]) == "submit")
    throw bad_input("wrap", "",
                    "expected another command than submit, whose scripts call the program without the files");
  for (auto file = words.begin() + 2; file != command; ++file) add_file(*file);
  words.erase(words.begin() + 1, command);
  return words;
}

void add_wrap_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "wrap",
      "Run any other command with kernels from files, without a compiler: cubins, PTX, fatbins and Triton's "
      "cache, described by a JSON file as variants of an operation, or a plugin in C");
  const auto files = std::make_shared<std::vector<std::string>>();
  command
      ->add_option(
          "FILE", *files,
          "JSON files or plugins (.so) as in docs/wrap.md; then a command of this program and its arguments")
      ->required()
      ->type_name("FILE... COMMAND...");
  command->footer(
      "For example `ablate wrap add.json list add`, `ablate wrap add.json run suite.json`. If a kernel "
      "rejects its arguments, its cases are `failed`; the others run.");
}

}  // namespace ablate
