#include <fmt/format.h>

#include <algorithm>

#include "base/record/input_marks.h"
#include "base/statistics/quantile.h"
#include "base/text/csv_file.h"
#include "base/text/text.h"
#include "reports/side_by_side/side_by_side.h"
#include "reports/views/labels.h"

namespace ablate::reports {
namespace {

using gate::verdict;

constexpr verdict words[] = {verdict::faster, verdict::slower, verdict::same, verdict::inconclusive,
                             verdict::invalid};
constexpr std::size_t max_rows = 40;  // in the summary

bool has_word(const compared_side& side, verdict word) { return side.word == word; }

std::string ratio_text(const compared_side& side) {
  if (!side.ratio) return side.of ? side.reason : side.missing;
  std::string out = fmt::format("{:.3f}", *side.ratio);
  if (side.low && side.high) out += fmt::format(" ({:.3f} to {:.3f})", *side.low, *side.high);
  return out;
}

std::string word_text(const compared_side& side) {
  return side.word ? std::string(gate::name_of(*side.word)) : std::string();
}

/// The farthest that the row's ratios are from 1.
double distance(const side_row& row) {
  double out = 0;
  for (const compared_side& side : row.sides)
    if (side.ratio) out = std::max(out, std::max(*side.ratio, 1 / *side.ratio));
  return out;
}

/// A row is worth showing if a verdict is certain or, where nothing is judged, always.
bool is_telling(const side_row& row) {
  return std::any_of(row.sides.begin(), row.sides.end(), [](const compared_side& side) {
    return side.ratio && side.word != verdict::same && side.word != verdict::inconclusive;
  });
}

std::string rows_markdown(const side_by_side& from) {
  std::vector<const side_row*> shown;
  for (const side_row& row : from.rows)
    if (is_telling(row)) shown.push_back(&row);
  std::stable_sort(shown.begin(), shown.end(),
                   [](const auto* a, const auto* b) { return distance(*a) > distance(*b); });
  if (shown.empty()) return "";
  const std::size_t all = shown.size();
  if (all > max_rows) shown.resize(max_rows);
  std::vector<std::string> header = {"case"};
  for (const record_report* r : from.records) header.push_back(r->label + ", µs");
  for (std::size_t i = 1; i < from.records.size(); ++i) {
    header.push_back("times faster than the first");
    header.push_back("verdict");
  }
  std::string out = table_header(header, 1);
  for (const side_row* row : shown) {
    std::vector<std::string> cells = {"`" + row->name + "`"};
    for (const compared_side& side : row->sides)
      cells.push_back(side.of ? median_with_interval(side.of->time) + input_mark(*side.of) : "");
    for (std::size_t i = 1; i < row->sides.size(); ++i) {
      cells.push_back(ratio_text(row->sides[i]));
      cells.push_back(word_text(row->sides[i]));
    }
    out += table_row(cells);
  }
  if (all > max_rows)
    out += fmt::format("\n{} further cases, of smaller effect, are in side_by_side.csv.\n", all - max_rows);
  return "<details><summary>Cases, the greatest effect first</summary>\n\n" + out + "\n</details>\n\n";
}

/// The tables of `ablate compare`, the longer ones folded.
std::string devices_summary(const device_section& of) {
  std::string out = of.answer + "\n\n";
  for (const compare::device_table& one : of.tables) {
    constexpr std::size_t max_open = 12;
    std::string rows = one.rows.lines.empty() ? "" : table_header(one.rows.header, one.rows.left);
    for (const table_line& line : one.rows.lines) rows += table_row(line.cells);
    const bool is_long = one.rows.lines.size() > max_open;
    out += is_long ? fmt::format("<details><summary>{}</summary>\n\n", one.title)
                   : fmt::format("**{}**\n\n", one.title);
    if (!one.note.empty()) out += one.note + "\n\n";
    out += rows + (is_long ? "\n</details>\n\n" : "\n");
  }
  return out;
}

}  // namespace

table side_table(const side_by_side& from) {
  table out{{"operation", "record", "cases in both", "FASTER", "SLOWER", "SAME", "INCONCLUSIVE", "INVALID",
             "not judged", "times faster, median", "least to greatest"},
            2,
            {}};
  std::vector<std::string> operations;
  for (const side_row& row : from.rows)
    if (std::find(operations.begin(), operations.end(), row.operation) == operations.end())
      operations.push_back(row.operation);
  for (const std::string& operation : operations)
    for (std::size_t i = 1; i < from.records.size(); ++i) {
      std::vector<const compared_side*> here;
      std::vector<double> ratios;
      for (const side_row& row : from.rows) {
        if (row.operation != operation || !row.sides.front().of || !row.sides[i].of) continue;
        here.push_back(&row.sides[i]);
        if (row.sides[i].ratio) ratios.push_back(*row.sides[i].ratio);
      }
      std::vector<std::string> cells = {operation, from.records[i]->label, std::to_string(here.size())};
      for (const verdict word : words)
        cells.push_back(std::to_string(std::count_if(
            here.begin(), here.end(), [&](const auto* side) { return has_word(*side, word); })));
      cells.push_back(std::to_string(
          std::count_if(here.begin(), here.end(), [](const auto* side) { return !side->word; })));
      cells.push_back(ratios.empty() ? "" : fmt::format("{:.3f}", gate::median(ratios)));
      cells.push_back(ratios.empty()
                          ? ""
                          : fmt::format("{:.3f} to {:.3f}", *std::min_element(ratios.begin(), ratios.end()),
                                        *std::max_element(ratios.begin(), ratios.end())));
      out.lines.push_back({std::move(cells), {}});
    }
  return out;
}

std::string side_summary(const side_by_side& from, bool drawn) {
  std::string out = "# Side by side\n\n";
  for (std::size_t i = 0; i < from.records.size(); ++i) {
    const record_report& r = *from.records[i];
    out += fmt::format("- **{}**: {} on {}, {}, {} launch{}", r.label, r.of->suite_name, r.of->device_name,
                       r.of->date, 1 + r.more.size(), r.more.empty() ? "" : "es");
    if (i == 0) out += "; the others are compared with it";
    if (i > 0 && from.pairs[i - 1].devices)
      out += "; another kind of GPU: ratios without verdicts";
    else if (i > 0 && !from.pairs[i - 1].why_not.empty())
      out += fmt::format("; judged by nothing: {}", from.pairs[i - 1].why_not);
    out += ".\n";
    if (i == 0) continue;
    if (from.pairs[i - 1].invalid_run)
      out += fmt::format("  - **INVALID**: {}.\n", *from.pairs[i - 1].invalid_run);
    for (const std::string& note : from.pairs[i - 1].notes) out += "  - " + note + "\n";
  }
  out += "\n" + from.how + "\n\n";
  for (const side_pair& pair : from.pairs)
    if (pair.devices) out += devices_summary(*pair.devices);
  const table counts = side_table(from);
  if (counts.lines.empty()) return out + "No two of these records share a case.\n\n";
  out += table_header(counts.header, counts.left);
  for (const table_line& line : counts.lines) out += table_row(line.cells);
  out += "\n" + rows_markdown(from);
  if (drawn)
    for (const plot& p : from.plots) out += fmt::format("![{}](plots/{}.svg)\n\n", p.title, p.name);
  return out;
}

void write_side_csv(const side_by_side& from, const std::filesystem::path& out) {
  csv_file file(out / "side_by_side.csv");
  file.row({"case", "operation", "variant", "record", "median_us", "ci95_low_us", "ci95_high_us", "missing",
            "times_faster", "times_faster_low", "times_faster_high", "verdict", "reason"});
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.6g}", *value) : std::string();
  };
  for (const side_row& row : from.rows)
    for (std::size_t i = 0; i < row.sides.size(); ++i) {
      const compared_side& side = row.sides[i];
      std::vector<std::string> cells = {row.name, row.operation, row.variant, from.records[i]->label};
      for (const double us : side.of ? std::vector{side.of->time.median_us, side.of->time.ci95_low_us,
                                                   side.of->time.ci95_high_us}
                                     : std::vector<double>{})
        cells.push_back(fmt::format("{}", us));
      if (!side.of) cells.insert(cells.end(), 3, "");
      cells.insert(cells.end(), {side.missing, number(side.ratio), number(side.low), number(side.high),
                                 word_text(side), side.reason});
      file.row(cells);
    }
  file.close();
}

}  // namespace ablate::reports
