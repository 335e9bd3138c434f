#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/names.h"
#include "reports/asked/parts.h"

namespace ablate::reports::asked {
namespace {

void check_comparison(const json_place& at, const planned_suite& of) {
  at.expect_keys({"operations", "across", "draw"});
  std::vector<std::string> known, axes;
  for (const planned_operation& op : of.operations) known.push_back(op.name);
  const std::vector<std::string> operations = at.at("operations").one_or_more([&](const json_place& value) {
    return known_word(value, "operation", known);
  });
  for (const std::string& name : operations)
    for (const std::string& axis : of.find_operation(name)->axis_names())
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
  const std::string kind = fmt::format("axis of '{}'", fmt::join(operations, "' or '"));
  if (const auto across = at.find("across"))
    across->one_or_more([&](const json_place& value) { return known_word(value, kind, axes); });
  else if (operations.size() == 1)
    at.refuse("one operation without 'across'; expected axes, or operations, that differ");
}

}  // namespace

std::vector<comparison> checked_comparisons(const json_place& at, const planned_suite& of) {
  for (const json_place& one : at.at_least_one("comparison")) check_comparison(one, of);
  return comparisons_of(at);
}

}  // namespace ablate::reports::asked
