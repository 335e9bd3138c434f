#include "reports/plots/pages.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ablate::reports {
namespace {

void split_to_fit(const operation_view& view, page whole, std::size_t maximum_rows, std::vector<page>& out) {
  std::optional<std::string> by;
  std::size_t fewest = 0;
  if (whole.rows.size() > maximum_rows)
    for (const std::string& axis : view.axes) {
      std::set<std::string> found;
      for (const comparable_cases* row : whole.rows) found.insert(row->value(axis));
      if (axis == view.swept || found.size() < 2 || (by && found.size() >= fewest)) continue;
      by = axis;
      fewest = found.size();
    }
  if (!by) {
    out.push_back(std::move(whole));
    return;
  }
  for (const std::string& value : view.values(*by)) {
    page part{whole.words, {}};
    part.words.push_back(view.is_integer(*by) ? *by + value : value);
    for (const comparable_cases* row : whole.rows)
      if (row->value(*by) == value) part.rows.push_back(row);
    if (!part.rows.empty()) split_to_fit(view, std::move(part), maximum_rows, out);
  }
}

/// The first axis, in declared order, in which two rows differ.
std::size_t first_difference(const operation_view& view, const comparable_cases& a,
                             const comparable_cases& b) {
  std::size_t i = 0;
  while (i < view.axes.size() &&
         (view.axes[i] == view.swept || a.value(view.axes[i]) == b.value(view.axes[i])))
    ++i;
  return i;
}

/// Runs of rows, each cut in its second half where the next row differs most.
void split_in_order(const operation_view& view, const page& whole, std::size_t maximum_rows,
                    std::vector<page>& out) {
  const std::size_t parts = (whole.rows.size() + maximum_rows - 1) / maximum_rows;
  const std::size_t most = (whole.rows.size() + parts - 1) / parts;  // no part much shorter than the others
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < whole.rows.size();) {
    std::size_t end = whole.rows.size();
    if (end - begin > maximum_rows) {
      end = begin + most;
      for (std::size_t i = end; i-- > begin + most / 2;)
        if (first_difference(view, *whole.rows[i - 1], *whole.rows[i]) <
            first_difference(view, *whole.rows[end - 1], *whole.rows[end]))
          end = i;
    }
    page part{whole.words, {}};
    if (whole.rows.size() > maximum_rows) part.words.push_back("part" + std::to_string(++number));
    for (; begin < end; ++begin) part.rows.push_back(whole.rows[begin]);
    out.push_back(std::move(part));
  }
}

void split(const operation_view& view, page whole, std::size_t maximum_rows, std::vector<page>& out) {
  if (view.has_many_axes())
    split_in_order(view, whole, maximum_rows, out);
  else
    split_to_fit(view, std::move(whole), maximum_rows, out);
}

}  // namespace

std::vector<page> pages(const operation_view& view, const std::vector<const comparable_cases*>& rows,
                        std::size_t maximum_rows) {
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const comparable_cases* row : rows)
    if (std::find(kinds.begin(), kinds.end(), std::pair{row->cache_state, row->method}) == kinds.end())
      kinds.emplace_back(row->cache_state, row->method);
  std::vector<page> out;
  for (const auto& [cache_state, method] : kinds) {
    page whole;
    for (const comparable_cases* row : rows)
      if (row->cache_state == cache_state && row->method == method) whole.rows.push_back(row);
    std::vector<page> parts;
    split(view, std::move(whole), maximum_rows, parts);
    const auto methods = std::count_if(
        kinds.begin(), kinds.end(), [&state = cache_state](const auto& kind) { return kind.first == state; });
    for (page& part : parts) {
      part.words.push_back(cache_state);
      if (methods > 1) part.words.push_back(method);
      out.push_back(std::move(part));
    }
  }
  return out;
}

std::vector<page> pages_of_axes(const operation_view& view, const std::vector<const comparable_cases*>& rows,
                                std::size_t maximum_rows) {
  page whole;
  for (const comparable_cases* row : rows)
    if (std::none_of(whole.rows.begin(), whole.rows.end(),
                     [&](const auto* other) { return other->axes == row->axes; }))
      whole.rows.push_back(row);
  std::vector<page> out;
  if (!whole.rows.empty()) split(view, std::move(whole), maximum_rows, out);
  return out;
}

}  // namespace ablate::reports
