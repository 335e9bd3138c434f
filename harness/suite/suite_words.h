#pragma once

#include <string>

#include "base/text/json_place.h"
#include "harness/suite/suite.h"

namespace ablate {

// Words that a suite says of its own cases, for what a report shall draw of them. Each throws bad_input with
// the nearest known word.

/// An operation that one of the suite's blocks runs.
const operation& operation_word(const reports::json_place&, const suite&);

std::string variant_word(const reports::json_place&, const operation&);

/// A variant, or a point of its spelling.
const variant_facts& variant_at(const reports::json_place&, const operation&);

/// The value of an axis, as records spell it.
std::string axis_word(const reports::json_place&, const std::string& axis, const operation&, const suite&);

}  // namespace ablate
