#pragma once

#include "base/record/record.h"
#include "base/text/json_place.h"

namespace ablate {

/// An entry of a record's `benchmarks`, and one of `unmeasured`. Throw bad_input that names the place.
measured_case case_of(const reports::json_place&);
unmeasured_case unmeasured_of(const reports::json_place&);

}  // namespace ablate
