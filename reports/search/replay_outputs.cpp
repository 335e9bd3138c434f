#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/statistics/quantile.h"
#include "base/text/or_null.h"
#include "base/text/text.h"
#include "reports/search/replay.h"

namespace ablate::search {
namespace {

using nlohmann::ordered_json;
using replays = std::vector<const replayed_workload*>;

double median_of_replays(const replays& all, const std::function<double(const replay&)>& figure) {
  std::vector<double> values;
  for (const replayed_workload* w : all) values.push_back(figure(w->found));
  return gate::median(values);
}

double mean_of_replays(const replays& all, const std::function<double(const replay&)>& figure) {
  double sum = 0;
  for (const replayed_workload* w : all) sum += figure(w->found);
  return sum / static_cast<double>(all.size());
}

double share_of_replays(const replays& all, const std::function<bool(const replay&)>& has) {
  return mean_of_replays(all, [&](const replay& r) { return has(r) ? 1.0 : 0.0; });
}

ordered_json summary_json(const replays& all) {
  const auto percent = [](double share) { return 100 * share; };
  return {
      {"workloads", all.size()},
      {"points_median",
       median_of_replays(all, [](const replay& r) { return static_cast<double>(r.points); })},
      {"asked_median", median_of_replays(all, [](const replay& r) { return static_cast<double>(r.asked); })},
      {"asked_share_pct_mean", percent(mean_of_replays(all,
                                                       [](const replay& r) {
                                                         return static_cast<double>(r.asked) /
                                                                static_cast<double>(r.points);
                                                       }))},
      {"regret_pct_mean", percent(mean_of_replays(all, [](const replay& r) { return r.regret; }))},
      {"random_regret_pct_mean",
       percent(mean_of_replays(all, [](const replay& r) { return r.random_regret; }))},
      {"close_share_pct",
       percent(share_of_replays(all, [](const replay& r) { return r.regret <= close_pct / 100; }))},
      {"proven_share_pct", percent(share_of_replays(all, [](const replay& r) { return r.is_proven; }))}};
}

std::map<std::string, replays> by_operation(const std::vector<replayed_workload>& all) {
  std::map<std::string, replays> out;
  for (const replayed_workload& w : all) out[w.operation].push_back(&w);
  return out;
}

replays pointers_to(const std::vector<replayed_workload>& all) {
  replays out;
  for (const replayed_workload& w : all) out.push_back(&w);
  return out;
}

std::string summary_row(const std::string& name, const ordered_json& of) {
  std::vector<std::string> cells = {name, of["workloads"].dump()};
  for (const char* figure : {"points_median", "asked_median", "asked_share_pct_mean", "regret_pct_mean",
                             "random_regret_pct_mean", "close_share_pct"})
    cells.push_back(fmt::format("{:.1f}", of[figure].get<double>()));
  return reports::table_row(cells);
}

}  // namespace

ordered_json replays_json(const std::vector<replayed_workload>& all, std::size_t left_out) {
  ordered_json out = {{"search_replays", "1.0.0"}, {"close_pct", close_pct}, {"left_out", left_out}};
  out["all"] = all.empty() ? ordered_json() : summary_json(pointers_to(all));
  out["operations"] = ordered_json::object();
  for (const auto& [operation, its] : by_operation(all)) out["operations"][operation] = summary_json(its);
  out["workloads"] = ordered_json::array();
  for (const replayed_workload& w : all)
    out["workloads"].push_back({{"record", w.record},
                                {"operation", w.operation},
                                {"workload", w.workload},
                                {"points", w.found.points},
                                {"asked", w.found.asked},
                                {"timings", w.found.timings},
                                {"regret_pct", 100 * w.found.regret},
                                {"random_regret_pct", 100 * w.found.random_regret},
                                {"asked_until_close", reports::or_null(w.found.asked_until_close)},
                                {"random_until_close", w.found.random_until_close},
                                {"is_proven", w.found.is_proven}});
  return out;
}

std::string replays_markdown(const std::vector<replayed_workload>& all, std::size_t left_out) {
  std::string out = fmt::format(
      "# Searches against records\n\nWritten by `ablate dev search-check`. Each search begins at the baseline "
      "and the published variants of a workload, without those that records had made `best`. The record "
      "answers for the GPU. Points that steps in one switch do not reach are left aside, since the record lacks "
      "the way to them, and so are {} workloads with fewer than {} points. Random search: the expected regret of "
      "as many points, drawn from the same record. Close: at most {:g} % slower than the fastest point.\n\n",
      left_out, fewest_replayed_points, close_pct);
  if (all.empty()) return out + "No workload is left.\n";
  out += reports::table_header(
      {"operation", "workloads", "points, median", "measured, median", "measured, mean %", "regret, mean %",
       "regret of random search, mean %", "close, %"},
      1);
  for (const auto& [operation, its] : by_operation(all)) out += summary_row(operation, summary_json(its));
  return out + summary_row("all", summary_json(pointers_to(all)));
}

}  // namespace ablate::search
