#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "harness/suite/suite.h"

namespace ablate {

/// What a command runs: a suite's file, or an operation, and the values that are put instead of its own.
struct suite_choice {
  std::string name;                      ///< the file, or the operation
  std::vector<std::string> assignments;  ///< for overridden (harness/suite/override.h)
};

/// For CLI::Option::check: an empty text if the word is AXIS=VALUE.
std::string why_no_assignment(const std::string& word);

/// The suite or operation, `--axes`, `--variants` and `--switch`.
void add_suite_options(CLI::App&, suite_choice&);

/// The operation that is named instead of a file, by whatever name it ever had; null for a file.
const operation* operation_instead_of_suite(const suite_choice&);

/// Throws bad_input for what is neither a file nor an operation, and as read_suite, with_checked_report and
/// overridden do.
suite chosen_suite(const suite_choice&);

/// The file for `chosen_suite` of an operation.
std::string chosen_suite_text(const suite_choice&);

}  // namespace ablate
