#include "reports/history/trends.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/record/identity.h"
#include "base/statistics/quantile.h"
#include "base/text/text.h"
#include "reports/plots/vega.h"

namespace ablate::history {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t fewest_nights = 3;

std::string commit_text(const night& n) { return history::commit_text(n.commit, n.dirty); }

std::string percent(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

/// The geometric center of the nights from `begin` to `end`.
double level_of(const std::vector<night>& nights, std::size_t begin, std::size_t end) {
  std::vector<double> medians;
  for (std::size_t i = begin; i < end; ++i) medians.push_back(nights[i].median_us);
  std::sort(medians.begin(), medians.end());
  const std::size_t n = medians.size();
  return n % 2 == 1 ? medians[n / 2] : std::sqrt(medians[n / 2 - 1] * medians[n / 2]);
}

/// The nights by specimen; empty unless there are several, with `fewest_nights` or more each.
std::map<std::string, std::vector<std::size_t>> nights_by_specimen(const std::vector<night>& nights) {
  std::map<std::string, std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < nights.size(); ++i) out[nights[i].specimen].push_back(i);
  const bool are_enough = out.size() > 1 && std::all_of(out.begin(), out.end(), [](const auto& of) {
                            return of.second.size() >= fewest_nights;
                          });
  return are_enough ? out : decltype(out)();
}

/// Each night's time over the level of its segment.
std::vector<double> over_level(const std::vector<night>& nights, const std::vector<change_point>& changes) {
  std::vector<double> out;
  for (std::size_t segment = 0; segment <= changes.size(); ++segment) {
    const std::size_t begin = segment == 0 ? 0 : changes[segment - 1].index;
    const std::size_t end = segment < changes.size() ? changes[segment].index : nights.size();
    const double level = level_of(nights, begin, end);
    for (std::size_t i = begin; i < end; ++i) out.push_back(nights[i].median_us / level);
  }
  return out;
}

/// Whether no specimen is both in the segment before this change and in that after it.
bool is_between_specimens(const std::vector<night>& nights, const std::vector<change_point>& changes,
                          std::size_t place) {
  const std::size_t at = changes[place].index, begin = place == 0 ? 0 : changes[place - 1].index,
                    end = place + 1 < changes.size() ? changes[place + 1].index : nights.size();
  std::set<std::string> before;
  for (std::size_t i = begin; i < at; ++i) before.insert(nights[i].specimen);
  for (std::size_t i = at; i < end; ++i)
    if (before.contains(nights[i].specimen)) return false;
  return true;
}

const char* doubt_of(const level_change& c) { return c.is_between_specimens ? ", on another GPU" : ""; }

double largest_change(const trend& t) {
  double out = 0;
  for (const change_point& c : t.changes) out = std::max(out, std::abs(std::log(c.ratio)));
  return out;
}

struct dated_change {
  const trend* in;
  const level_change* change;
};

std::vector<dated_change> sorted_changes(const std::vector<trend>& trends) {
  std::vector<dated_change> out;
  for (const trend& t : trends)
    for (const level_change& c : t.changes) out.push_back({&t, &c});
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.change->ratio > b.change->ratio; });
  return out;
}

/// One line per series that stops, those that are gone first.
std::string ends_text(const std::vector<trend>& trends) {
  std::string gone, different;
  for (const trend& t : trends)
    for (const series_end& end : t.ends)
      (end.kind == gate::mismatch::gone ? gone : different) += end_text(t.of, end) + "\n";
  return gone + different;
}

/// Null where there is one kind.
ordered_json kind_json(const series& of) { return of.kind.empty() ? ordered_json() : ordered_json(of.kind); }

ordered_json end_json(const series& of, const series_end& end) {
  return {{"case", of.case_name},
          {"device", of.device},
          {"fingerprint", of.fingerprint},
          {"kind", kind_json(of)},
          {"suite", end.suite},
          {"verdict", gate::name_of(end.kind)},
          {"since", end.since.date},
          {"commit_before", end.last.commit},
          {"commit_after", end.since.commit},
          {"reason", end.reason}};
}

/// A file name of at most 120 characters.
std::string plot_name(const series& of) {
  constexpr std::size_t longest = 100;
  std::string name = reports::slug(
      of.operation + "-trend-" + of.variant +
      of.case_name.substr(std::min(of.case_name.size(), of.operation.size() + of.variant.size() + 1)));
  const std::string whole = of.case_name + of.fingerprint + of.kind + of.method + of.input_hash + of.seed;
  return name.substr(0, longest) + "-" + record_hash(ordered_json(whole)).substr(0, 8);
}

}  // namespace

trend trend_of(series of, const change_options& options) {
  std::vector<double> medians;
  for (const night& n : of.nights) medians.push_back(n.median_us);
  std::vector<change_point> found = change_points(medians, options);
  trend out{std::move(of), {}};
  const std::vector<night>& nights = out.of.nights;
  if (const auto by_specimen = nights_by_specimen(nights); !by_specimen.empty()) {
    const std::vector<double> deviations = over_level(nights, found);
    for (const auto& [specimen, places] : by_specimen) {
      std::vector<double> own;
      for (const std::size_t i : places) own.push_back(deviations[i]);
      const double effect = gate::median(std::move(own));
      out.specimen_pct[specimen] = 100 * (effect - 1);
      for (const std::size_t i : places) medians[i] /= effect;
    }
    found = change_points(medians, options);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    out.changes.push_back({found[i], is_between_specimens(nights, found, i)});
  return out;
}

std::string trend_text(const trend& t) {
  std::string out = fmt::format("{}\n  {}{}, timed by {}\n", t.of.case_name, t.of.fingerprint,
                                t.of.kind.empty() ? "" : ", of kind " + t.of.kind, t.of.method);
  for (const auto& [specimen, pct] : t.specimen_pct)
    out += fmt::format("  {:+.1f} % on {}, taken out\n", pct, specimen);
  for (std::size_t i = 0; i < t.of.nights.size(); ++i) {
    const night& n = t.of.nights[i];
    const auto change =
        std::find_if(t.changes.begin(), t.changes.end(), [&](const level_change& c) { return c.index == i; });
    out += fmt::format(
        "  {}  {:<11}  {:>10} us  [{}, {}]{}\n", n.date, commit_text(n), reports::significant(n.median_us),
        reports::significant(n.ci95_low_us), reports::significant(n.ci95_high_us),
        change == t.changes.end()
            ? ""
            : fmt::format("  <- {} (p = {:.4f}{})", percent(change->ratio), change->p, doubt_of(*change)));
  }
  for (const series_end& end : t.ends) out += fmt::format("  {}: {}\n", gate::name_of(end.kind), end.reason);
  return out;
}

std::string changes_text(const std::vector<trend>& trends) {
  const auto changes = sorted_changes(trends);
  std::size_t longest = 0;
  for (const trend& t : trends) longest = std::max(longest, t.of.nights.size());
  if (changes.empty())
    return fmt::format("no change in {} series; the longest has {} nights\n", trends.size(), longest) +
           ends_text(trends);
  std::string out = fmt::format("{:>9}  {:<25}  {:<24}  {}\n", "CHANGE", "SINCE", "COMMITS", "CASE");
  for (const auto& [in, change] : changes) {
    const night& after = in->of.nights[change->index];
    out += fmt::format("{:>9}  {:<25}  {:<24}  {} on {}{}\n", percent(change->ratio), after.date,
                       commit_text(in->of.nights[change->index - 1]) + ".." + commit_text(after),
                       in->of.case_name, in->of.device_text(), doubt_of(*change));
  }
  return out + ends_text(trends);
}

ordered_json changes_json(const std::vector<trend>& trends) {
  ordered_json out = ordered_json::array();
  for (const auto& [in, change] : sorted_changes(trends)) {
    const night& before = in->of.nights[change->index - 1];
    const night& after = in->of.nights[change->index];
    out.push_back({{"case", in->of.case_name},
                   {"device", in->of.device},
                   {"fingerprint", in->of.fingerprint},
                   {"kind", kind_json(in->of)},
                   {"is_between_specimens", change->is_between_specimens},
                   {"since", after.date},
                   {"commit_before", before.commit},
                   {"commit_after", after.commit},
                   {"ratio", change->ratio},
                   {"p", change->p}});
  }
  ordered_json ended = ordered_json::array();
  for (const trend& t : trends)
    for (const series_end& end : t.ends) ended.push_back(end_json(t.of, end));
  return {{"series", trends.size()}, {"changes", std::move(out)}, {"ended", std::move(ended)}};
}

reports::plot trend_plot(const trend& t) {
  const std::vector<night>& nights = t.of.nights;
  ordered_json rows = ordered_json::array();
  std::size_t segment = 0, begin = 0;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    const bool is_change = segment < t.changes.size() && t.changes[segment].index == i;
    const std::string change =
        is_change ? percent(t.changes[segment].ratio) + doubt_of(t.changes[segment]) : "";
    if (is_change) begin = t.changes[segment++].index;
    const std::size_t end = segment < t.changes.size() ? t.changes[segment].index : nights.size();
    rows.push_back({{"case", t.of.case_name},
                    {"date", nights[i].date},
                    {"us", nights[i].median_us},
                    {"low", nights[i].ci95_low_us},
                    {"high", nights[i].ci95_high_us},
                    {"segment", segment},
                    {"level", level_of(nights, begin, end)},
                    {"change", is_change ? ordered_json(change) : ordered_json()},
                    {"commit", commit_text(nights[i])},
                    {"gpu", nights[i].specimen},
                    {"driver", nights[i].driver}});
  }
  const reports::plot_heading heading{t.of.operation + "/" + t.of.variant,
                                      t.of.device_text(),
                                      t.of.cache_state,
                                      {{"timed by", t.of.method}},
                                      t.of.case_name};
  reports::plot out{plot_name(t.of), t.of.case_name + " by date",
                    reports::median_history(heading, std::move(rows))};
  for (const series_end& end : t.ends)
    out.specification["title"]["subtitle"].push_back(
        fmt::format("{}: {}", gate::name_of(end.kind), end.reason));
  return out;
}

std::vector<reports::plot> trend_plots(const std::vector<trend>& trends, const std::string& operation,
                                       std::size_t limit) {
  std::vector<const trend*> shown;
  for (const trend& t : trends)
    if (t.of.operation == operation && t.of.nights.size() >= fewest_nights) shown.push_back(&t);
  std::stable_sort(shown.begin(), shown.end(), [](const trend* a, const trend* b) {
    const double change_a = largest_change(*a), change_b = largest_change(*b);
    return change_a != change_b ? change_a > change_b : a->of.nights.size() > b->of.nights.size();
  });
  if (shown.size() > limit) shown.resize(limit);
  std::vector<reports::plot> out;
  for (const trend* t : shown) out.push_back(trend_plot(*t));
  return out;
}

}  // namespace ablate::history
