#pragma once

#include <string>

#include "base/record/record.h"

namespace ablate::reports {

/// "window_attention across rows and order", "psh_bucket and serialize across region".
std::string joined_name(const comparison&);

/// The cases of a comparison as those of one operation named joined_name. Their axes are those that all of
/// its operations have and that it does not cross; a variant's name includes the values of the other axes if
/// its cases differ in them: "hopper_gathered, rows=scan". With several operations the name begins with the
/// operation, and only the quality figures common to all are kept. Everything else is as in the record.
record joined_cases(const record&, const comparison&);

/// The cases of joined_cases on curves of at least `minimum_points` sizes that share a figure with a curve of
/// other values across the axes (or of another operation).
record joined_curves(const record&, const comparison&, std::size_t minimum_points);

}  // namespace ablate::reports
