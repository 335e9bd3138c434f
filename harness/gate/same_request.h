#pragma once

#include "reports/record/record.h"

namespace ablate::gate {

/// Throws bad_input, one line that names both records, when they were made from different suites.
void expect_same_suite(const record& as, const record& found);

/// Likewise when their commands ask for different cases (`--filter`), or for what different policies ask for
/// (`--samples`, `--ceilings`, `--counters`).
void expect_same_options(const record& as, const record& found);

}  // namespace ablate::gate
