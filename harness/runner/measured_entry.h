#pragma once

#include <string>
#include <string_view>

#include "base/record/record.h"
#include "harness/registry/operation.h"
#include "harness/suite/suite.h"

namespace ablate {

/// The entry of a case that was measured, from what the executor found.
measured_case measured_entry(const suite_case&, const workload&, const input_library&, measured_case found);

/// The entry of a case that was not, and why.
unmeasured_case unmeasured_entry(const suite_case&, std::string_view status, const std::string& reason);

}  // namespace ablate
