#include "harness/gate/same_request.h"

#include <fmt/format.h>

#include <string>

#include "base/text/bad_input.h"
#include "base/text/shell.h"

namespace ablate::gate {
namespace {

/// "--filter '^voxelize'", as written in the command, or "no --filter".
std::string option_of(const record& r, const std::string& name) {
  std::string out;
  bool is_value = false;
  for (const std::string& word : reports::first_command(r.command)) {
    if (word.starts_with("-")) is_value = false;
    if (is_value) out += " " + reports::shell_word(word);
    if (word == name) is_value = true;
    if (word.starts_with(name + "=")) out += " " + reports::shell_word(word.substr(name.size() + 1));
  }
  return out.empty() ? "no " + name : name + out;
}

void expect_same(const char* place, const record& as, const std::string& wanted, const record& found,
                 const std::string& have) {
  if (wanted != have)
    throw bad_input(found.path.string(), std::string("/context/ablate/") + place,
                    fmt::format("expected {} as in {}, found {}", wanted, as.path.string(), have));
}

std::string suite_of(const record& r) {
  return fmt::format("suite {} of hash {}", r.suite_name, r.suite_hash);
}

}  // namespace

void expect_same_suite(const record& as, const record& found) {
  expect_same("suite", as, suite_of(as), found, suite_of(found));
}

void expect_same_options(const record& as, const record& found) {
  for (const char* name : {"--filter", "--samples", "--ceilings", "--counters"})
    expect_same("command", as, option_of(as, name), found, option_of(found, name));
}

}  // namespace ablate::gate
