#include "harness/cli/chip_option.h"

#include <vector>

#include "base/text/bad_input.h"
#include "base/text/names.h"

namespace ablate {

CLI::Option* add_chip_option(CLI::App& command, std::string& name, const std::string& help) {
  return command.add_option("--chip", name, help)->type_name("NAME");
}

const chip& chip_named(const std::string& name) {
  if (const chip* found = find_chip(name)) return *found;
  std::vector<std::string> known;
  for (const std::vector<chip>* all : {&chips(), &other_boards()})
    for (const chip& c : *all) known.push_back(c.name);
  throw bad_input("--chip", "", no_such("chip", name, known));
}

}  // namespace ablate
