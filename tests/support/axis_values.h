#pragma once

#include <optional>
#include <string>

#include "harness/registry/registry.h"

namespace ablate::test_support {

/// These axis values, with more put over them.
inline axis_values with(axis_values at, const axis_values& more) {
  for (const auto& [name, value] : more) at.set(name, value);
  return at;
}

/// Axis values of an operation: the defaults, with these put over them.
inline axis_values values_of(const operation& op, const axis_values& given) {
  axis_values all;
  for (const axis& a : op.axes) all.set(a.name, a.default_value);
  return with(all, given);
}

/// Why the operation has no case at its defaults with these values over them; empty where it has one.
inline std::string refusal_of(const operation& op, const axis_values& given) {
  const std::optional<std::string> refusal = op.refuses(values_of(op, given));
  if (refusal && refusal->empty()) return "refused without a word";
  return refusal.value_or("");
}

/// ", axis=value" for each.
inline std::string text_of(const axis_values& at) {
  std::string text;
  for (const auto& [name, value] : at) text += ", " + name + "=" + value;
  return text;
}

}  // namespace ablate::test_support
