#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/record/exhibit.h"
#include "base/record/ladder.h"
#include "base/record/question.h"

namespace ablate {

/// What a suite file asks of a report, read without a registry of operations: for records made before suites
/// asked it.
struct asked_suite {
  std::string name;
  std::optional<suite_question> question;
  std::optional<suite_ladder> ladder;
  std::vector<suite_exhibit> exhibits;
};
/// Throws bad_input for a file that is not JSON, has no name, or a question, a ladder or exhibits that cannot
/// be read.
asked_suite read_asked_suite(const std::filesystem::path&);

/// What a run without a suite's file calls its suite.
std::string one_off_suite_name(const std::string& operation);

}  // namespace ablate
