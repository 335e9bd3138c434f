#include "reports/views/where.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/views/labels.h"

namespace ablate::reports {
namespace {

constexpr std::size_t max_values = 4;  // listed

template <class Value>
std::set<std::string> distinct(const workload_rows& of, Value value) {
  std::set<std::string> out;
  for (const comparable_cases* row : of) out.insert(value(*row));
  return out;
}

bool are_disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::none_of(a.begin(), a.end(), [&](const auto& value) { return b.contains(value); });
}

/// Values of an axis, in its order, against all others that were measured.
std::string axis_words(const operation_view& view, const std::string& axis, const std::set<std::string>& in,
                       const std::set<std::string>& others) {
  std::vector<std::string> values, all;
  for (const std::string& value : view.values(axis)) {
    if (in.contains(value)) values.push_back(value);
    if (in.contains(value) || others.contains(value)) all.push_back(value);
  }
  // All of a file is no size beside others.
  const auto is_whole = [&](const std::string& value) { return view.stands_for_all(axis, value); };
  if (view.is_integer(axis) && std::none_of(all.begin(), all.end(), is_whole)) {
    const auto ends = [&](std::size_t at) {
      return std::equal(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
    };
    if (values.size() > 1 && ends(0)) return axis + " ≤ " + values.back();
    if (values.size() > 1 && ends(all.size() - values.size())) return axis + " ≥ " + values.front();
  }
  if (values.size() == 1 && view.is_integer(axis)) return value_label(view, axis, values.front());
  for (std::string& value : values)
    if (is_whole(value)) value = "all";
  if (values.size() <= max_values) return fmt::format("{} {}", axis, fmt::join(values, ", "));
  return fmt::format("{} values of {}", values.size(), axis);
}

}  // namespace

std::string set_apart_by(const operation_view& view, const workload_rows& with,
                         const workload_rows& without) {
  if (without.empty()) return "";
  std::vector<std::string> axes;
  if (view.swept) axes.push_back(*view.swept);
  for (const std::string& axis : view.axes)
    if (axis != view.swept) axes.push_back(axis);
  for (const std::string& axis : axes) {
    const auto value = [&](const comparable_cases& row) { return row.value(axis); };
    const auto in = distinct(with, value), others = distinct(without, value);
    if (are_disjoint(in, others)) return axis_words(view, axis, in, others);
  }
  const auto state = [](const comparable_cases& row) { return row.cache_state; };
  const auto states = distinct(with, state);
  return are_disjoint(states, distinct(without, state)) ? fmt::format("{}", fmt::join(states, ", ")) : "";
}

}  // namespace ablate::reports
