#pragma once

#include <algorithm>

#include "base/record/exhibit.h"
#include "base/record/record.h"
#include "base/record/silent_axes.h"

namespace ablate::reports {

inline bool has_axes(const named_words& axes, const named_words& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& axis) {
    const std::string* value = find_word(axes, axis.first);
    return value && *value == axis.second;
  });
}

/// Whether a measured or unmeasured case of a record is one that an exhibit's choice selects.
template <class Case>
bool is_chosen(const record& r, const suite_exhibit& exhibit, const exhibit_choice& choice, const Case& c) {
  return c.operation == exhibit.operation && c.cache_state == exhibit.cache_state &&
         (choice.variant.empty() || c.variant == choice.variant) && has_axes(c.axes, exhibit.axes) &&
         has_axes(c.axes, choice.axes) && is_default_elsewhere(r, c, [&](std::string_view axis) {
           return find_word(exhibit.axes, axis) || find_word(choice.axes, axis);
         });
}

}  // namespace ablate::reports
