#pragma once

#include <string>

#include "base/record/suite_report.h"
#include "base/text/json_place.h"
#include "harness/cli/suite_report.h"
#include "tests/harness/suite/suite_in_text.h"

namespace ablate::test_support {

/// The suite that this text is, as commands take it.
inline suite checked_suite_in(const std::string& text) { return with_checked_report(suite_in(text)); }

/// What it says to reports, as a record has it.
inline suite_report report_of(const suite& from) {
  return from.report.is_null() ? suite_report()
                               : suite_report_of(reports::json_place(from.report, "record.json"));
}

inline suite_report report_in(const std::string& text) { return report_of(checked_suite_in(text)); }

}  // namespace ablate::test_support
