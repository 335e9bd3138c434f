#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/record/question.h"

namespace ablate {

/// What a suite file asks of a report, read without a registry of operations: for records made before suites
/// asked it.
struct asked_suite {
  std::string name;
  std::optional<suite_question> question;
};
/// Throws bad_input for a file that is not JSON, has no name, or a question that cannot be read.
asked_suite read_asked_suite(const std::filesystem::path&);

}  // namespace ablate
