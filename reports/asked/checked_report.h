#pragma once

#include "base/record/suite_report.h"
#include "base/text/json_place.h"
#include "reports/asked/planned_suite.h"

namespace ablate::reports {

/// What a suite says to reports, held against what it runs before anything is measured: every name is one
/// that it runs or the program has, every family has a variant, every step of a ladder a case, every curve of
/// an exhibit sampled cases. Names and values are spelled as records spell them, `scans` are the suite's
/// point files, and a ladder's first step names every axis. Throws bad_input, with the nearest name.
suite_report checked_report(const json_place&, const planned_suite&);

}  // namespace ablate::reports
