#include "reports/attribute/points_to_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "reports/attribute/words.h"
#include "reports/explain/commands.h"

namespace ablate::attribute {
namespace {

using namespace reports;
using explain::axis_lists;

std::string values_text(const named_words& values) {
  std::vector<std::string> out;
  for (const auto& [name, value] : values) out.push_back(name + "=" + value);
  return out.empty() ? "all switches off" : fmt::format("{}", fmt::join(out, " "));
}

points_to_run needed_on(const workload_shares& w) {
  points_to_run out{{}, 0, w.drawn.size(), {}, {w.between.row}, {}};
  std::set<coalition> on_drawn;
  for (const block_order& order : w.drawn)
    for (const coalition s : w.orders.coalitions_on(order)) on_drawn.insert(s);
  for (const coalition s : w.orders.coalitions()) {
    if (!w.drawn.empty() && !on_drawn.contains(s)) continue;
    const lattice_point& p = w.between.points[s];
    out.missing += p.measured == nullptr;
    if (p.spelling.empty())
      out.unspelled.push_back(values_text(p.values));
    else
      out.points.push_back(p.spelling);
  }
  return out;
}

void add_once(std::vector<std::string>& to, const std::string& value) {
  if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

/// The values of these rows by axis.
axis_lists values_of(const std::vector<const comparable_cases*>& rows) {
  axis_lists out;
  for (const auto& entry : rows.front()->axes) out.emplace_back(entry.first, std::vector<std::string>{});
  out.emplace_back("cache", std::vector<std::string>{});
  for (auto& [axis, values] : out)
    for (const comparable_cases* row : rows)
      add_once(values, axis == "cache" ? row->cache_state : row->value(axis));
  return out;
}

/// Whether the rows are all combinations of their values.
bool is_product(const std::vector<const comparable_cases*>& rows) {
  std::size_t combinations = 1;
  for (const auto& entry : values_of(rows)) combinations *= entry.second.size();
  return combinations == rows.size();
}

std::vector<std::string> commands_for(const attribution& of, const points_to_run& needed) {
  if (!needed.unspelled.empty()) return {};
  std::vector<std::vector<const comparable_cases*>> groups = {needed.rows};
  if (!is_product(needed.rows)) {
    groups.clear();
    for (const comparable_cases* row : needed.rows) groups.push_back({row});
  }
  std::vector<std::string> out;
  for (const auto& rows : groups)
    out.push_back(explain::run_of_variants(*of.of, of.view->name, needed.points, values_of(rows)));
  return out;
}

}  // namespace

std::vector<points_to_run> points_to_run_for(const attribution& of) {
  std::vector<points_to_run> out;
  for (const workload_shares& w : of.workloads) {
    if (w.rests_on != evidence::missing) continue;
    points_to_run needed = needed_on(w);
    const auto like = std::find_if(out.begin(), out.end(), [&](const points_to_run& other) {
      return other.points == needed.points && other.unspelled == needed.unspelled &&
             other.missing == needed.missing;
    });
    if (like == out.end())
      out.push_back(std::move(needed));
    else
      like->rows.push_back(w.between.row);
  }
  for (points_to_run& needed : out) needed.commands = commands_for(of, needed);
  return out;
}

std::string text_of(const attribution& of, const points_to_run& needed) {
  const std::string where = needed.rows.size() == 1 ? workload_text(*of.view, *needed.rows.front())
                                                    : fmt::format("{} workloads", needed.rows.size());
  const std::size_t all = needed.points.size() + needed.unspelled.size();
  std::string out =
      fmt::format("{}: shares need {} points in one launch, {} of them missing{}", where, all, needed.missing,
                  needed.orders > 0 ? fmt::format(", on {} drawn orders", needed.orders) : "");
  if (!needed.unspelled.empty())
    out += fmt::format("; this program has no name for the point with {}",
                       fmt::join(needed.unspelled, ", nor with "));
  return out;
}

}  // namespace ablate::attribute
