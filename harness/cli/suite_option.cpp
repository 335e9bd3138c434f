#include "harness/cli/suite_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "base/record/old_names.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "harness/cli/suite_report.h"
#include "harness/registry/registry.h"
#include "harness/suite/one_off.h"
#include "harness/suite/override.h"

namespace ablate {

std::string why_no_assignment(const std::string& word) {
  if (word.find('=') != std::string::npos) return "";
  return fmt::format("expected AXIS=VALUE[,VALUE...], found '{}'", word);
}

namespace {

/// A word that can only be a file's.
bool is_path(const std::string& word) {
  std::error_code error;
  return word.find_first_of("/.") != std::string::npos || std::filesystem::exists(word, error);
}

}  // namespace

void add_suite_options(CLI::App& command, suite_choice& given) {
  command
      .add_option(
          "suite", given.name,
          "A suite, a JSON file like those in suites/; or an operation: all its variants at the default "
          "values of its axes, unless --variants, --axes and --switch say otherwise")
      ->required()
      ->type_name("FILE|OPERATION");
  command
      .add_option(
          "--axes", given.assignments,
          "Axis values in place of the suite's, in every block that has the axis; 2^16..2^24 is every power "
          "of two between them; also sets `cache`: --axes points=2^16..2^24 cache=cold-clean,hot")
      ->type_name("AXIS=VALUE,...")
      ->check(why_no_assignment);
  command
      .add_option_function<std::vector<std::string>>(
          "--variants",
          [&given](const std::vector<std::string>& names) {
            given.assignments.push_back(fmt::format("variants={}", fmt::join(names, ",")));
          },
          "Variants, points or presets in place of the suite's: baseline,warp_match,smem_hashed+threads=512")
      ->type_name("NAME,...")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--switch",
          [&given](const std::vector<std::string>& assignments) {
            for (const std::string& assignment : assignments)
              given.assignments.push_back("switch." + assignment);
          },
          "Expand the variants to points with these values of a switch: --switch threads=128,512 pdl=off,on, "
          "or * for all values that a variant accepts (ablate list OPERATION)")
      ->type_name("SWITCH=VALUE,...")
      ->check(why_no_assignment);
}

const operation* operation_instead_of_suite(const suite_choice& given) {
  if (const operation* found = find_operation(given.name)) return found;
  const std::string today = old_names::known().todays_operation(given.name);
  const operation* const found = today == given.name ? nullptr : find_operation(today);
  if (found) print_todays_names(given.name, today);
  return found;
}

std::string chosen_suite_text(const suite_choice& given) {
  if (const operation* const of = operation_instead_of_suite(given))
    return one_off_suite_text(*of, given.assignments);
  throw bad_input("--write-suite", "", fmt::format("expected an operation, found '{}'", given.name));
}

suite chosen_suite(const suite_choice& given) {
  if (const operation* const of = operation_instead_of_suite(given))
    return read_suite_text(one_off_suite_text(*of, given.assignments), of->name);
  if (!is_path(given.name)) {
    std::vector<std::string> known;
    for (const auto& of : operations()) known.push_back(of->name);
    throw bad_input("suite", "",
                    fmt::format("there is no file '{0}', and no operation '{0}'{1}", given.name,
                                did_you_mean(given.name, known)));
  }
  return overridden(with_checked_report(read_suite(given.name)), given.assignments);
}

}  // namespace ablate
