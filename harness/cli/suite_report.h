#pragma once

#include "harness/suite/suite.h"

namespace ablate {

/// A suite whose report block reports have taken (reports/asked): as they read it in a record, and with the
/// cases that they compare joined. Called once, before anything is planned or measured. Throws bad_input for
/// a block that reports cannot use, naming the file, the JSON pointer and what was expected; also if the
/// suite's launches wait for a question that it lacks.
suite with_checked_report(suite);

}  // namespace ablate
