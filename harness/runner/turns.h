#pragma once

#include <iosfwd>
#include <vector>

#include "harness/runner/executor.h"

namespace ablate {

/// Measures cases as somebody names them, for as long as they like: a program that measures other kernels
/// asks for one of ours, measures one of its own, and so on, each on a device that the other has left idle.
///
/// Reads one case id a line until the input ends, and answers each with one line of JSON, flushed: name,
/// status, and time_us (as in a record, its `clock` too) or reason. Outputs are compared when a case is asked
/// for the first time. An id that is none of `cases` has the status `unknown`.
void take_turns(const std::vector<suite_case>& cases, const sampling&, const input_library&, executor&,
                std::istream& ids, std::ostream& answers);

}  // namespace ablate
