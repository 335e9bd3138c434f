#pragma once

#include "base/record/record.h"

namespace ablate::gate {

/// Throws bad_input, one line naming both records, if they were made from different suites.
void expect_same_suite(const record& as, const record& found);

/// Throws the same if their commands select different cases (`--filter`) or differ in options set by the
/// policy (`--samples`, `--ceilings`, `--counters`).
void expect_same_options(const record& as, const record& found);

}  // namespace ablate::gate
