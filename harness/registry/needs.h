#pragma once

#include <string>

#include "harness/registry/operation.h"
#include "harness/version.h"

namespace ABLATE_ABI {

/// Where a switch can have a value.
struct value_needs {
  int minimum_compute_capability = 80;
  axis_conditions only_where = {};  ///< empty: at all axis values
};

/// By all variants that have the value, or whose launch functions take it: what each of them needs.
value_needs needs_of(const operation&, const std::string& name, const std::string& value);

}  // namespace ABLATE_ABI
