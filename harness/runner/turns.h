#pragma once

#include <iosfwd>
#include <vector>

#include "harness/runner/executor.h"

namespace ablate {

/// Measures cases on request until the input ends: a program that benchmarks other kernels requests one of
/// ours, measures one of its own, and so on, each on a device the other has left idle.
///
/// Reads one case id per line and answers each with one flushed line of JSON: name, status, and time_us (as
/// in a record, including its `clock`) or reason. Outputs are compared the first time a case is requested. An
/// id not in `cases` gets the status `unknown`.
void take_turns(const std::vector<suite_case>& cases, const sampling&, const input_library&, executor&,
                std::istream& ids, std::ostream& answers);

}  // namespace ablate
