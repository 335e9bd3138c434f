#pragma once

#include <string>

#include "reports/record/record.h"

namespace ablate::reports {

/// "window_attention across rows and order", "psh_bucket and serialize across region".
std::string joined_name(const comparison&);

/// The cases of a comparison as those of one operation, of joined_name. Their axes are those that all of its
/// operations have and that it does not cross; a variant's name takes in the values of the others, where its
/// cases differ in them: "hopper_gathered, rows=scan". Of several operations it begins with the operation,
/// and figures of quality are those that all of them have. Everything else is as in the record.
record joined_cases(const record&, const comparison&);

/// Of the cases that joined_cases gives: those on curves of at least `minimum_points` sizes that share a
/// figure with a curve of other values across the axes (or of another operation).
record joined_curves(const record&, const comparison&, std::size_t minimum_points);

}  // namespace ablate::reports
