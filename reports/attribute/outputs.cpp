#include "reports/attribute/outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text/csv_file.h"
#include "base/text/text.h"
#include "reports/ablation/tables.h"
#include "reports/attribute/points_to_run.h"
#include "reports/attribute/words.h"

namespace ablate::attribute {
namespace {

using namespace reports;
using nlohmann::ordered_json;

constexpr std::size_t max_moved = 2;  // figures of a share in a table
constexpr const char* unknown = "—";

std::string worth_text(const std::optional<worth>& of) {
  return of ? ratio_with_interval(of->factor(), of->low(), of->high()) : unknown;
}

std::string factor_text(const std::optional<worth>& of) {
  return of ? fmt::format("{:.2f}×", of->factor()) : unknown;
}

std::string verdict_text(const std::optional<worth>& of) {
  return of ? std::string(gate::name_of(of->verdict.word)) : "";
}

std::string steps_text(const switch_share& of) {
  if (of.measured_steps == 0) return unknown;
  const std::string range = of.measured_steps == 1
                                ? fmt::format("{:.2f}", of.least_step)
                                : fmt::format("{:.2f} to {:.2f}", of.least_step, of.greatest_step);
  return of.measured_steps == of.steps ? range
                                       : fmt::format("{} ({} of {})", range, of.measured_steps, of.steps);
}

std::string moved_text(const switch_share& of) {
  std::vector<std::string> out;
  for (const moved_metric& m : of.moved)
    if (out.size() < max_moved) out.push_back(text_of(m));
  return fmt::format("{}", fmt::join(out, "; "));
}

std::string switches_text(const workload_shares& w, const switch_share& of,
                          std::string (*text)(const switch_change&)) {
  std::vector<std::string> out;
  for (const std::size_t player : of.players) out.push_back(text(w.between.players[player]));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string names_text(const workload_shares& w, const switch_share& of) {
  return switches_text(w, of, [](const switch_change& c) { return c.name; });
}

std::string values_text(const workload_shares& w, const switch_share& of) {
  return switches_text(w, of, [](const switch_change& c) { return c.from + " → " + c.to; });
}

std::string_view word_of(evidence of) {
  return of == evidence::exact ? "exact" : of == evidence::sampled ? "sampled" : "missing";
}

/// Of several, the one with a share of its own is asked for by its name.
std::vector<const switch_share*> chosen(const attribution& of, const workload_shares& w,
                                        const std::vector<std::string>& only) {
  std::vector<const switch_share*> out;
  for (const std::string& name : only) out.push_back(&w.share_of(name, of.of->path.string()));
  if (only.empty())
    for (const switch_share& share : w.shares) out.push_back(&share);
  return out;
}

std::string as_markdown(const table& from) {
  std::string out = table_header(from.header, from.left);
  for (const table_line& line : from.lines) out += table_row(line.cells);
  return out + "\n";
}

/// What declarations say should move, by switch.
std::string declared_text(const attribution& of) {
  std::vector<std::string> out;
  for (const auto& [name, counter] : of.should_move) out.push_back(fmt::format("`{}`: {}", name, counter));
  return out.empty() ? "" : fmt::format("Declared to move: {}.", fmt::join(out, "; "));
}

ordered_json worth_json(const std::optional<worth>& of) {
  if (!of) return nullptr;
  const auto bound = [](double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
  };
  return {{"factor", of->factor()},
          {"low", std::isfinite(of->gain.low) ? ordered_json(of->low()) : ordered_json(nullptr)},
          {"high", bound(of->high())},
          {"launches", of->launches},
          {"limit_pct", of->verdict.limit_pct},
          {"verdict", gate::name_of(of->verdict.word)}};
}

ordered_json moved_json(const moved_metric& of) {
  const double change = of.change_pct();
  return {{"figure", of.title},
          {"before", of.before},
          {"after", of.after},
          {"change_pct", std::isfinite(change) ? ordered_json(change) : ordered_json(nullptr)}};
}

ordered_json share_json(const workload_shares& w, const switch_share& of) {
  ordered_json changes = ordered_json::array(), moved = ordered_json::array();
  for (const std::size_t player : of.players) {
    const switch_change& c = w.between.players[player];
    changes.push_back({{"switch", c.name}, {"from", c.from}, {"to", c.to}});
  }
  for (const moved_metric& m : of.moved) moved.push_back(moved_json(m));
  const bool has_steps = of.measured_steps > 0;
  return {{"switches", std::move(changes)},
          {"share", worth_json(of.share)},
          {"first_in", worth_json(of.first_in)},
          {"leave_one_out", worth_json(of.leave_one_out)},
          {"steps",
           {{"all", of.steps},
            {"measured", of.measured_steps},
            {"least", has_steps ? ordered_json(of.least_step) : ordered_json(nullptr)},
            {"greatest", has_steps ? ordered_json(of.greatest_step) : ordered_json(nullptr)}}},
          {"moved", std::move(moved)}};
}

ordered_json pair_json(const workload_shares& w, const share_pair& of) {
  const said_pair words = said(w, of);
  return {{"first", w.name_of(w.shares[of.first])},
          {"second", w.name_of(w.shares[of.second])},
          {"interaction", worth_json(of.interaction)},
          {"first_without_second", worth_json(of.first_without_second)},
          {"first_with_second", worth_json(of.first_with_second)},
          {"second_without_first", worth_json(of.second_without_first)},
          {"second_with_first", worth_json(of.second_with_first)},
          {"words", of.interaction.is_sure() ? ordered_json(words.what) : ordered_json(nullptr)}};
}

ordered_json point_json(const lattice_point& of) {
  ordered_json values = ordered_json::object();
  for (const auto& [name, value] : of.values) values[name] = value;
  const auto or_null = [](const std::string& text) {
    return text.empty() ? ordered_json(nullptr) : ordered_json(text);
  };
  return {{"point", or_null(of.spelling)},
          {"switches", std::move(values)},
          {"case", of.measured ? ordered_json(of.measured->name) : ordered_json(nullptr)},
          {"median_us", of.measured ? ordered_json(of.measured->time.median_us) : ordered_json(nullptr)},
          {"forbidden", or_null(of.forbidden)},
          {"missing", or_null(of.missing)}};
}

ordered_json workload_json(const workload_shares& w) {
  ordered_json axes = ordered_json::object(), points = ordered_json::array(), shares = ordered_json::array(),
               pairs = ordered_json::array(), followers = ordered_json::array();
  for (const auto& [axis, value] : w.between.row->axes) axes[axis] = value;
  for (const lattice_point& p : w.between.points) points.push_back(point_json(p));
  for (const switch_share& share : w.shares) shares.push_back(share_json(w, share));
  for (const share_pair& pair : w.pairs) pairs.push_back(pair_json(w, pair));
  for (const follower& f : w.between.followers)
    followers.push_back(
        {{"switch", f.change.name}, {"from", f.change.from}, {"to", f.change.to}, {"part_of", f.of}});
  return {{"axes", std::move(axes)},          {"cache_state", w.between.row->cache_state},
          {"method", w.between.row->method},  {"evidence", word_of(w.rests_on)},
          {"orders", w.orders.count()},       {"drawn_orders", w.drawn.size()},
          {"whole", worth_json(w.whole)},     {"shares", std::move(shares)},
          {"interactions", std::move(pairs)}, {"followers", std::move(followers)},
          {"points", std::move(points)}};
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

std::vector<std::string> worth_cells(const std::optional<worth>& of) {
  if (!of) return {"", "", "", "", "", ""};
  return {number(of->factor()),
          std::isfinite(of->gain.low) ? number(of->low()) : "",
          number(of->high()),
          std::to_string(of->launches),
          number(of->verdict.limit_pct),
          std::string(gate::name_of(of->verdict.word))};
}

std::string number_of(const std::optional<worth>& of) { return of ? number(of->factor()) : ""; }

/// What all lines of the file begin with.
std::vector<std::string> first_cells(const attribution& of, const workload_shares& w,
                                     const std::vector<std::string>& axes) {
  std::vector<std::string> out = {of.of->device_name,         of.view->name,        of.from, of.to,
                                  w.between.row->cache_state, w.between.row->method};
  for (const std::string& axis : axes) out.push_back(w.between.row->value(axis));
  return out;
}

std::vector<std::string> axes_of(const std::vector<attribution>& all) {
  std::vector<std::string> out;
  for (const attribution& of : all)
    for (const std::string& axis : of.view->axes)
      if (std::find(out.begin(), out.end(), axis) == out.end()) out.push_back(axis);
  return out;
}

}  // namespace

std::string heading_of(const attribution& of) {
  std::vector<double> gains;
  for (const workload_shares& w : of.workloads)
    if (w.whole) gains.push_back(w.whole->gain.estimate);
  std::string out = fmt::format("`{}` to `{}`", of.from, of.to);
  if (gains.empty()) return out;
  const auto [least, greatest] = std::minmax_element(gains.begin(), gains.end());
  if (gains.size() == 1) return out + fmt::format(", {:.2f}×", std::exp(*least));
  return out + fmt::format(", {:.2f}× to {:.2f}× on {} workloads", std::exp(*least), std::exp(*greatest),
                           gains.size());
}

table share_table(const attribution& of, const std::vector<std::string>& only) {
  table out{{"workload", "switch", "from → to", "verdict", "figures that moved", "share", "first in",
             "leave one out", "its steps"},
            5,
            {}};
  for (const workload_shares& w : of.workloads) {
    const std::vector<std::string> cases = {w.between.from->name, w.between.to->name};
    std::string workload = workload_text(*of.view, *w.between.row);
    const auto add = [&](std::vector<std::string> cells) {
      cells.insert(cells.begin(), workload);
      workload.clear();
      out.lines.push_back({std::move(cells), cases});
    };
    for (const switch_share* share : chosen(of, w, only))
      add({names_text(w, *share), values_text(w, *share), verdict_text(share->share), moved_text(*share),
           worth_text(share->share) + (w.rests_on == evidence::sampled ? " sampled" : ""),
           factor_text(share->first_in), factor_text(share->leave_one_out), steps_text(*share)});
    if (only.empty()) add({"all together", "", verdict_text(w.whole), "", worth_text(w.whole), "", "", ""});
  }
  return out;
}

std::string attribution_text(const attribution& of, const std::vector<std::string>& only,
                             const effect_limits& limits, const terminal& on) {
  std::string out = wrapped(fmt::format("{}: {}", of.view->name, heading_of(of)), on) + "\n";
  const table shares = share_table(of, only);
  std::vector<std::vector<terminal_cell>> rows;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::vector<terminal_cell>& row = rows.emplace_back();
    for (const std::string& cell : cells) row.push_back({cell});
  };
  add(shares.header);
  for (const table_line& line : shares.lines) add(line.cells);
  if (!shares.lines.empty())
    out += laid_out(rows, {.right = {5, 6, 7, 8}, .wrap = {0, 4}, .indent = "  "}, on) + "\n";
  std::vector<std::string> sentences = sentences_of(of);
  if (const std::string declared = declared_text(of); !declared.empty()) sentences.push_back(declared);
  for (const std::string& sentence : sentences) out += wrapped("- " + sentence, on, "  ");
  for (const points_to_run& needed : points_to_run_for(of)) {
    out +=
        wrapped("- " + text_of(of, needed) + (needed.commands.empty() ? "." : "; measure them by"), on, "  ");
    for (const std::string& command : needed.commands) out += "    " + command + "\n";
  }
  return out + "\n" + wrapped(about_shares(of, limits), on);
}

std::string attribution_markdown(const attribution& of, const std::vector<std::string>& only,
                                 const effect_limits& limits) {
  std::string out = fmt::format("## {}\n\n{}\n\n", of.view->name, heading_of(of));
  const table shares = share_table(of, only);
  if (!shares.lines.empty()) out += as_markdown(shares);
  std::vector<std::string> sentences = sentences_of(of);
  if (const std::string declared = declared_text(of); !declared.empty()) sentences.push_back(declared);
  for (const std::string& sentence : sentences) out += "- " + sentence + "\n";
  if (!sentences.empty()) out += "\n";
  for (const points_to_run& needed : points_to_run_for(of)) {
    out += text_of(of, needed) + (needed.commands.empty() ? ".\n\n" : ":\n\n");
    for (const std::string& command : needed.commands) out += "    " + command + "\n";
    if (!needed.commands.empty()) out += "\n";
  }
  return out + about_shares(of, limits) + "\n";
}

ordered_json attribution_json(const attribution& of) {
  ordered_json workloads = ordered_json::array(), without = ordered_json::array(),
               to_run = ordered_json::array(), declared = ordered_json::object();
  for (const workload_shares& w : of.workloads) workloads.push_back(workload_json(w));
  for (const no_lattice& none : of.without)
    without.push_back({{"workload", workload_text(*of.view, *none.row)}, {"why", none.why}});
  for (const points_to_run& needed : points_to_run_for(of))
    to_run.push_back({{"workloads", needed.rows.size()},
                      {"points", needed.points},
                      {"missing", needed.missing},
                      {"drawn_orders", needed.orders},
                      {"without_name", needed.unspelled},
                      {"commands", needed.commands}});
  for (const auto& [name, counter] : of.should_move) declared[name] = counter;
  return {{"record", of.of->path.string()},
          {"device", of.of->device_name},
          {"date", of.of->date},
          {"operation", of.view->name},
          {"from", of.from},
          {"to", of.to},
          {"workloads", std::move(workloads)},
          {"without", std::move(without)},
          {"sentences", sentences_of(of)},
          {"should_move", std::move(declared)},
          {"to_run", std::move(to_run)}};
}

void write_attribution_csv(const std::vector<attribution>& all, const std::filesystem::path& path) {
  const std::vector<std::string> axes = axes_of(all);
  csv_file file(path);
  std::vector<std::string> header = {"device",     "operation",   "from_variant",
                                     "to_variant", "cache_state", "method"};
  for (const std::string& axis : axes) header.push_back("axis." + axis);
  for (const char* column :
       {"kind", "switch", "from", "to", "second_switch", "evidence", "factor", "low", "high", "launches",
        "limit_pct", "verdict", "first_in", "leave_one_out", "least_step", "greatest_step", "moved", "words"})
    header.emplace_back(column);
  file.row(header);
  for (const attribution& of : all)
    for (const workload_shares& w : of.workloads) {
      const auto add = [&](const std::vector<std::string>& first, const std::optional<worth>& figure,
                           const std::vector<std::string>& last) {
        std::vector<std::string> row = first_cells(of, w, axes);
        for (const auto& cells : {first, {std::string(word_of(w.rests_on))}, worth_cells(figure), last})
          row.insert(row.end(), cells.begin(), cells.end());
        file.row(row);
      };
      for (const switch_share& share : w.shares)
        add({"share", names_text(w, share),
             switches_text(w, share, [](const switch_change& c) { return c.from; }),
             switches_text(w, share, [](const switch_change& c) { return c.to; }), ""},
            share.share,
            {number_of(share.first_in), number_of(share.leave_one_out),
             share.measured_steps > 0 ? number(share.least_step) : "",
             share.measured_steps > 0 ? number(share.greatest_step) : "", moved_text(share), ""});
      add({"whole", "", "", "", ""}, w.whole, {"", "", "", "", "", ""});
      for (const share_pair& pair : w.pairs)
        add({"interaction", names_text(w, w.shares[pair.first]), "", "",
             names_text(w, w.shares[pair.second])},
            pair.interaction, {"", "", "", "", "", pair.interaction.is_sure() ? said(w, pair).what : ""});
    }
  file.close();
}

}  // namespace ablate::attribute
