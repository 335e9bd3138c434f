#include <fmt/format.h>

#include <algorithm>

#include "base/text/names.h"
#include "reports/asked/parts.h"

namespace ablate::reports::asked {

std::string known_word(const json_place& at, std::string_view kind, const std::vector<std::string>& known) {
  const std::string name = at.text();
  if (std::find(known.begin(), known.end(), name) == known.end()) at.refuse(no_such(kind, name, known));
  return name;
}

const planned_operation& operation_run(const json_place& at, const planned_suite& of) {
  return *of.find_operation(known_word(at, "operation that the suite runs", of.operations_run()));
}

std::string value_of(const json_place& at, const std::string& axis, const planned_operation& of) {
  if (const planned_axis* known = of.find_axis(axis)) return known->value(at);
  at.refuse(no_such(fmt::format("axis of '{}'", of.name), axis, of.axis_names()));
}

}  // namespace ablate::reports::asked
