#include "reports/views/joined_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/views/operation_view.h"

namespace ablate::reports {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names that all groups have.
std::set<std::string> common(const std::map<std::string, std::set<std::string>>& by_operation) {
  std::set<std::string> out;
  if (!by_operation.empty()) out = by_operation.begin()->second;
  for (const auto& [operation, names] : by_operation)
    std::erase_if(out, [&names = names](const std::string& name) { return !names.contains(name); });
  return out;
}

/// A case's values on the axes that the comparison removes.
named_words crossed_words(const measured_case& c, const std::set<std::string>& kept) {
  named_words out = c.axes;
  std::erase_if(out, [&](const auto& word) { return kept.contains(word.first); });
  return out;
}

std::vector<measured_case> cases_of(const record& from, const comparison& of) {
  std::vector<measured_case> out;
  for (const measured_case& c : from.cases)
    if (!c.ceiling && is_among(of.operations, c.operation)) out.push_back(c);
  return out;
}

std::set<std::string> kept_axes(const std::vector<measured_case>& cases, const comparison& of) {
  std::map<std::string, std::set<std::string>> by_operation;
  for (const measured_case& c : cases)
    for (const auto& [axis, value] : c.axes)
      if (!is_among(of.across, axis)) by_operation[c.operation].insert(axis);
  return common(by_operation);
}

void keep_common_quality(std::vector<measured_case>& cases) {
  std::map<std::string, std::set<std::string>> by_operation;
  for (const measured_case& c : cases)
    for (const auto& [figure, value] : c.quality) by_operation[c.operation].insert(figure);
  const std::set<std::string> kept = common(by_operation);
  for (measured_case& c : cases)
    std::erase_if(c.quality, [&](const auto& figure) { return !kept.contains(figure.first); });
}

/// Gives the cases of `from`, which belong to the record, their names in the comparison.
record joined_record(const record& from, std::vector<measured_case> cases, const comparison& of) {
  using variant_key = std::pair<std::string, std::string>;
  const std::set<std::string> kept = kept_axes(cases, of);
  std::map<variant_key, std::map<std::string, std::set<std::string>>> values;
  for (const measured_case& c : cases)
    for (const auto& [axis, value] : crossed_words(c, kept))
      values[{c.operation, c.variant}][axis].insert(value);
  keep_common_quality(cases);

  record out = from;
  out.operations.clear();
  for (const auto& facts : from.operations)
    if (facts.name == of.operations.front()) {
      out.operations.push_back(facts);
      out.operations.back().name = joined_name(of);
    }
  for (measured_case& c : cases) {
    std::string name = of.operations.size() > 1 ? c.operation + ": " + c.variant : c.variant;
    const auto& differing = values[{c.operation, c.variant}];
    for (const auto& [axis, value] : crossed_words(c, kept))
      if (differing.at(axis).size() > 1) name += fmt::format(", {}={}", axis, value);
    std::erase_if(c.axes, [&](const auto& word) { return !kept.contains(word.first); });
    // Operations declare their common axes in different orders.
    if (of.operations.size() > 1) std::sort(c.axes.begin(), c.axes.end());
    c.variant = std::move(name);
    c.operation = joined_name(of);
  }
  out.cases = std::move(cases);
  return out;
}

/// The ids of the cases that joined_curves keeps.
std::set<std::string> cases_on_curves(const record& from, const comparison& of, std::size_t minimum_points) {
  const std::vector<measured_case> all = cases_of(from, of);
  const std::set<std::string> kept = kept_axes(all, of);
  std::map<std::string, std::pair<std::string, named_words>> sides;  // by case
  for (const measured_case& c : all) {
    named_words crossed = crossed_words(c, kept);
    std::erase_if(crossed, [&](const auto& word) { return !is_among(of.across, word.first); });
    sides[c.name] = {c.operation, std::move(crossed)};
  }
  std::set<std::string> out;
  const record as_one = joined_record(from, all, of);
  const operation_view view(as_one, joined_name(of));
  for (const scaling_group& group : view.scaling_groups(minimum_points)) {
    std::set<std::string> here;
    std::set<std::pair<std::string, named_words>> sides_here;
    for (const std::string& variant : view.variants) {
      std::vector<std::string> curve;
      for (const comparable_cases* row : group.points)
        if (const measured_case* c = row->of(variant)) curve.push_back(c->name);
      if (curve.size() < minimum_points) continue;
      here.insert(curve.begin(), curve.end());
      for (const std::string& name : curve) sides_here.insert(sides.at(name));
    }
    if (sides_here.size() > 1) out.merge(here);
  }
  return out;
}

}  // namespace

std::string joined_name(const comparison& of) {
  std::string name = fmt::format("{}", fmt::join(of.operations, " and "));
  if (!of.across.empty()) name += fmt::format(" across {}", fmt::join(of.across, " and "));
  return name;
}

record joined_cases(const record& from, const comparison& of) {
  return joined_record(from, cases_of(from, of), of);
}

record joined_curves(const record& from, const comparison& of, std::size_t minimum_points) {
  const std::set<std::string> on_curves = cases_on_curves(from, of, minimum_points);
  std::vector<measured_case> cases = cases_of(from, of);
  std::erase_if(cases, [&](const measured_case& c) { return !on_curves.contains(c.name); });
  return joined_record(from, std::move(cases), of);
}

}  // namespace ablate::reports
