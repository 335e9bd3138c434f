#pragma once

#include <algorithm>
#include <string_view>

#include "base/record/record.h"

namespace ablate::reports {

/// Whether a case has the default of each axis that its operation's ids leave out there, except axes that
/// `is_named`: what does not name such an axis is older than the axis, or means its default.
template <class Case, class Named>
bool is_default_elsewhere(const record& r, const Case& c, const Named& is_named) {
  const auto operation =
      std::find_if(r.operations.begin(), r.operations.end(),
                   [&](const record::operation_facts& o) { return o.name == c.operation; });
  return operation == r.operations.end() ||
         std::all_of(operation->silent_axes.begin(), operation->silent_axes.end(), [&](const auto& axis) {
           const std::string* value = find_word(c.axes, axis.first);
           return !value || *value == axis.second || is_named(std::string_view(axis.first));
         });
}

}  // namespace ablate::reports
