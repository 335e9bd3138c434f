#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/record/bundle_join.h"
#include "base/record/comparison.h"
#include "base/record/question.h"
#include "base/record/stated.h"

namespace ablate {

/// What a suite says to reports: its key `report`, which the measuring side carries into the record unread.
struct suite_report {
  stated_list<std::vector<comparison>> comparisons;
  std::optional<suite_question> question;

  bool is_absent() const { return comparisons.is_absent() && !question; }
};

/// That of a record. JSON, since a suite may say to reports of another version what this one does not read.
struct recorded_report : suite_report {
  nlohmann::ordered_json given;  ///< as the suite has it; null in a record made without one

  bool is_absent() const { return given.is_null() && suite_report::is_absent(); }
};

/// The value of the key `report` of a suite or of a record's context, whose names are not checked. Throws
/// bad_input.
suite_report suite_report_of(const reports::json_place&);
/// As suite_report_of reads it.
nlohmann::ordered_json suite_report_json(const suite_report&);

/// What joins cases that differ in more than variant and cache state: comparisons, a question whose families
/// differ in axes or that is asked of several operations, and a ladder whose steps differ in axes.
std::vector<bundle_join> joins_of(const suite_report&);

/// Gathers under `report` what suites, and contexts of records before 2.1.0, had beside it: comparisons, the
/// question, and as parts of the question a ladder and exhibits. What cannot be gathered, since `report` or
/// the question has a value already or is no object, stays for the reader to refuse. Returns the keys of
/// before with those of today: "ladder", "report.question.ladder".
std::vector<std::pair<std::string, std::string>> gather_report(nlohmann::ordered_json& suite);

}  // namespace ablate
