#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text/counted_noun.h"
#include "base/text/text.h"
#include "reports/search/outputs.h"

namespace ablate::search {
namespace {

using reports::ink;
using reports::terminal;
using reports::terminal_cell;

std::string launches_text(std::size_t count) {
  return fmt::format("{} launch{}", count, count == 1 ? "" : "es");
}

const std::string& name_in(const result& r, std::size_t point) { return r.of->points()[point].name; }

std::string interval_text(const reports::judged_ratio& over) {
  if (!std::isfinite(over.time.low)) return "one launch";
  return fmt::format("{:.3f} to {:.3f}", std::exp(over.time.low), std::exp(over.time.high));
}

/// How much faster than the baseline.
std::string over_baseline(const result& r) {
  const std::size_t winner = r.found.found->winner;
  if (!r.baseline || *r.baseline == winner || !r.found.seen.counts(*r.baseline)) return "";
  const reports::judged_ratio over = r.found.seen.ratio(*r.baseline, winner);
  return fmt::format(", {:.2f}× ({:.2f} to {:.2f}) as fast as the baseline {}", std::exp(-over.time.estimate),
                     std::exp(-over.time.high), std::exp(-over.time.low), name_in(r, *r.baseline));
}

std::string counts_text(const proof& of) {
  return fmt::format("{} slower, {} tied, {} not measured", of.count(neighbor_state::slower),
                     of.count(neighbor_state::tied), of.count(neighbor_state::not_measured));
}

std::string verdict_sentence(const result& r) {
  const proof& of = *r.found.found;
  if (of.neighbors.empty()) return "It has no neighbor in one switch.";
  if (of.holds())
    return fmt::format("No neighbor in one switch is better by more than noise: {}.", counts_text(of));
  if (r.found.ran_out)
    return fmt::format(
        "The budget ran out, so nothing is proven: {} left open ({}). `--resume` with a larger --budget goes "
        "on.",
        reports::counted_noun(of.open(), "neighbor"), counts_text(of));
  return fmt::format("Nothing is proven: {} left open ({}).", reports::counted_noun(of.open(), "neighbor"),
                     counts_text(of));
}

ink ink_of(neighbor_state state) {
  return state == neighbor_state::faster ? ink::bad
         : state == neighbor_state::tied ? ink::doubtful
                                         : ink::plain;
}

std::string table_of(const result& r, const terminal& on) {
  std::vector<std::vector<terminal_cell>> rows = {
      {{"NEIGHBOR"}, {"SWITCH"}, {"IS"}, {"TIME OVER IT"}, {"95 % INTERVAL"}, {"LAUNCHES"}, {"WHY"}}};
  for (const compared_neighbor& n : r.found.found->neighbors) {
    std::string state(name_of(n.state));
    std::ranges::replace(state, '_', ' ');
    rows.push_back({{name_in(r, n.point)}, {n.differs_in}, {state, ink_of(n.state)}});
    for (const std::string& cell :
         {n.over ? fmt::format("{:.3f}", std::exp(n.over->time.estimate)) : "",
          n.over ? interval_text(*n.over) : "", n.over ? std::to_string(n.over->launches) : "",
          n.is_open ? "open: " + n.reason : n.reason})
      rows.back().push_back({cell});
  }
  return laid_out(rows, {.right = {3, 5}, .wrap = {6}, .indent = "  "}, on);
}

std::string failures_text(const result& r, const terminal& on) {
  std::string out;
  for (std::size_t p = 0; p < r.of->points().size(); ++p)
    for (const answer& a : r.found.seen.of(p))
      if (a.status != "ok")
        out += reports::wrapped(
            fmt::format("{}: {}{}{}", name_in(r, p), a.status, a.reason.empty() ? "" : ": ", a.reason), on);
  return out;
}

std::string imported_text(const result& r, const terminal& on) {
  if (!r.imported) return "";
  const imported_times& from = *r.imported;
  std::string out = reports::wrapped(
      fmt::format("{}: {}; {} are points here, {} are not, {} have no valid time. Imported times order the "
                  "candidates; no verdict rests on them.",
                  from.file.string(), reports::counted_noun(from.configurations, "configuration"),
                  from.us.size(), from.elsewhere, from.invalid),
      on);
  constexpr std::size_t shown = 3;
  for (const std::size_t p : from.fastest(shown))
    out += fmt::format("  {}: {:.2f} us there, {}\n", name_in(r, p), from.us.at(p),
                       r.found.seen.counts(p) ? fmt::format("{:.2f} us here", r.found.seen.first_us(p))
                                              : "not measured here");
  return out;
}

}  // namespace

std::string result_text(const result& r, const terminal& on) {
  std::vector<std::string> axes;
  for (const auto& [name, value] : r.asked.axes) axes.push_back(name + "=" + value);
  std::size_t measured = 0;
  for (std::size_t p = 0; p < r.of->points().size(); ++p) measured += r.found.seen.was_asked(p) ? 1 : 0;
  std::string out = reports::wrapped(
      fmt::format("{}, {}, {}, on {}: {} of {} that can run here, measured in {}; {:.0f} of {:.0f} s ({})",
                  r.asked.operation, fmt::join(axes, ", "), r.asked.cache_state, r.device, measured,
                  reports::counted_noun(r.of->runnable(), "point"), launches_text(r.found.seen.launches()),
                  r.spent_s, r.asked.budget_s, r.asked.strategy),
      on);
  if (!r.found.found) return out + "No point could be measured.\n" + failures_text(r, on);
  const std::size_t winner = r.found.found->winner;
  out += reports::wrapped(fmt::format("Best: {}, {:.2f} us{}.", name_in(r, winner),
                                      r.found.seen.first_us(winner), over_baseline(r)),
                          on);
  out += reports::wrapped(verdict_sentence(r), on);
  if (!r.found.found->neighbors.empty()) out += table_of(r, on);
  for (const auto& [first, second] : r.found.pairs)
    out += fmt::format("Switches {} and {} interact beyond noise.\n", first, second);
  return out + failures_text(r, on) + imported_text(r, on);
}

}  // namespace ablate::search
