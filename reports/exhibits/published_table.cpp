#include "reports/exhibits/published_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/input_marks.h"
#include "base/text/text.h"
#include "reports/exhibits/chosen_cases.h"

namespace ablate::reports {
namespace {

std::optional<double> value_at(const measured_case& c, const std::string& place) {
  constexpr std::string_view quality = "quality.";
  if (place == "time_us.median") return c.time.median_us;
  if (place == "memory.bytes") return c.memory ? std::optional(c.memory->bytes) : std::nullopt;
  return place.starts_with(quality) ? find_counter(c.quality, std::string_view(place).substr(quality.size()))
                                    : std::nullopt;
}

struct filled_cell {
  const measured_case* of = nullptr;
  std::string text;  ///< the value, or why there is none
  bool has_value = false;
};

/// The axes of a row, of a column and of a quantity at once.
exhibit_choice chosen_by(const exhibit_choice& row, const exhibit_choice& column,
                         const exhibit_quantity& quantity) {
  exhibit_choice out = column;
  if (out.variant.empty()) out.variant = row.variant;
  out.axes.insert(out.axes.end(), row.axes.begin(), row.axes.end());
  out.axes.insert(out.axes.end(), quantity.axes.begin(), quantity.axes.end());
  return out;
}

std::string why_not_measured(const record& r, const suite_exhibit& exhibit, const exhibit_choice& choice) {
  for (const unmeasured_case& c : r.unmeasured)
    if (is_chosen(r, exhibit, choice, c)) return fmt::format("{}: {}", c.status, c.reason);
  return choice.is_rival ? fmt::format("no rival {} of it in this record", choice.variant)
                         : "not in this record";
}

filled_cell cell_of(const record& r, const suite_exhibit& exhibit, const exhibit_quantity& quantity,
                    const exhibit_choice& choice) {
  if (quantity.values.empty()) return {nullptr, quantity.missing, false};
  filled_cell out;
  std::size_t count = 0;
  for (const measured_case& c : r.cases)
    if (is_chosen(r, exhibit, choice, c)) {
      out.of = &c;
      ++count;
    }
  if (count > 1) return {nullptr, fmt::format("{} cases of this record fit", count), false};
  if (!out.of) return {nullptr, why_not_measured(r, exhibit, choice), false};
  for (const std::string& place : quantity.values)
    if (const auto value = value_at(*out.of, place)) {
      out.text = significant(*value * quantity.scale);
      out.has_value = true;
      return out;
    }
  out.text = "not recorded";
  return out;
}

bool is_by_host(const measured_case& c) { return c.time.method.starts_with("host_clock"); }

}  // namespace

std::optional<shown_exhibit> published_table(const record& r, const suite_exhibit& exhibit) {
  shown_exhibit out{
      "exhibit-" + exhibit.name, exhibit.title, {}, {{"", "", "published"}, 2, {}}, "", std::nullopt};
  for (const exhibit_choice& column : exhibit.columns) out.lines.header.push_back(column.label);
  std::size_t filled = 0, cells = 0;
  bool by_host = false, by_events = false;
  for (const exhibit_quantity& quantity : exhibit.quantities)
    for (std::size_t i = 0; i < exhibit.rows.size(); ++i) {
      const auto& published = quantity.published[i];
      table_line line{{fmt::format("{} ({})", quantity.label, quantity.unit), exhibit.rows[i].label,
                       published ? plain(*published) : "–"},
                      {}};
      for (const exhibit_choice& column : exhibit.columns) {
        const filled_cell cell = cell_of(r, exhibit, quantity, chosen_by(exhibit.rows[i], column, quantity));
        ++cells;
        filled += cell.has_value ? 1 : 0;
        if (cell.has_value) (is_by_host(*cell.of) ? by_host : by_events) = true;
        if (cell.of) line.cases.push_back(cell.of->name);
        line.cells.push_back(cell.text + (cell.of ? input_mark(*cell.of) : ""));
      }
      out.lines.lines.push_back(std::move(line));
    }
  if (filled == 0) return std::nullopt;
  out.sentences.push_back(
      fmt::format("**{} of {}** cells are measured; the others say why not.", filled, cells));
  out.about = fmt::format("Published: {}. Ours: {}.", exhibit.source, r.device_name);
  if (by_host && by_events)
    out.about +=
        " Some times are by events, others by the host clock, from the call until the device is idle: do not "
        "divide one by the other.";
  else if (by_host)
    out.about += " All times are by the host clock, from the call until the device is idle.";
  return out;
}

}  // namespace ablate::reports
