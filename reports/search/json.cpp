#include <cmath>

#include "base/text/or_null.h"
#include "reports/search/outputs.h"

namespace ablate::search {
namespace {

using nlohmann::ordered_json;
using reports::or_null;
using reports::ratio_or_null;
using reports::text_or_null;

constexpr const char* schema_version = "1.0.0";

ordered_json point_name(const result& r, std::optional<std::size_t> point) {
  return point ? ordered_json(r.of->points()[*point].name) : ordered_json();
}

/// The time of one point over another's, with its interval.
ordered_json ratio_json(const reports::judged_ratio& over) {
  return {{"ratio", std::exp(over.time.estimate)},
          {"low", ratio_or_null(over.time.low)},
          {"high", ratio_or_null(over.time.high)},
          {"launches", over.launches},
          {"verdict", gate::name_of(over.verdict.word)}};
}

ordered_json winner_json(const result& r) {
  if (!r.found.found) return nullptr;
  const std::size_t winner = r.found.found->winner;
  ordered_json over;
  if (r.baseline && *r.baseline != winner && r.found.seen.counts(*r.baseline))
    over = ratio_json(r.found.seen.ratio(*r.baseline, winner));
  return {{"point", point_name(r, winner)},
          {"median_us", r.found.seen.first_us(winner)},
          {"over_baseline", over}};
}

ordered_json neighbor_json(const result& r, const compared_neighbor& n) {
  return {{"point", point_name(r, n.point)},  {"switch", n.differs_in},
          {"state", name_of(n.state)},        {"over_winner", n.over ? ratio_json(*n.over) : ordered_json()},
          {"reason", text_or_null(n.reason)}, {"open", n.is_open}};
}

ordered_json imported_json(const result& r) {
  if (!r.imported) return nullptr;
  ordered_json times = ordered_json::object();
  for (const auto& [point, us] : r.imported->us) times[r.of->points()[point].name] = us;
  return {{"file", r.imported->file.string()},
          {"configurations", r.imported->configurations},
          {"invalid", r.imported->invalid},
          {"elsewhere", r.imported->elsewhere},
          {"times_us", times}};
}

}  // namespace

ordered_json result_json(const result& r) {
  ordered_json axes = ordered_json::object(), neighbors = ordered_json::array(),
               failed = ordered_json::array(), pairs = ordered_json::array();
  for (const auto& [name, value] : r.asked.axes) axes[name] = value;
  std::size_t measured = 0;
  for (std::size_t p = 0; p < r.of->points().size(); ++p) {
    measured += r.found.seen.was_asked(p) ? 1 : 0;
    for (const answer& a : r.found.seen.of(p))
      if (a.status != "ok")
        failed.push_back({{"point", point_name(r, p)},
                          {"launch", a.launch},
                          {"status", a.status},
                          {"reason", text_or_null(a.reason)}});
  }
  if (r.found.found)
    for (const compared_neighbor& n : r.found.found->neighbors) neighbors.push_back(neighbor_json(r, n));
  for (const auto& [first, second] : r.found.pairs) pairs.push_back({first, second});
  return {{"search_schema", schema_version},
          {"operation", r.asked.operation},
          {"axes", axes},
          {"cache_state", r.asked.cache_state},
          {"device", r.device},
          {"date", r.date},
          {"record", r.record},
          {"strategy", r.asked.strategy},
          {"seed", r.asked.seed},
          {"budget_s", r.asked.budget_s},
          {"spent_s", r.spent_s},
          {"points",
           {{"all", r.of->points().size()},
            {"runnable", r.of->runnable()},
            {"measured", measured},
            {"from_journal", r.replayed}}},
          {"launches", r.found.seen.launches()},
          {"winner", winner_json(r)},
          {"is_proven", r.found.found && r.found.found->holds()},
          {"ran_out", r.found.ran_out},
          {"baseline", point_name(r, r.baseline)},
          {"neighbors", neighbors},
          {"failed", failed},
          {"interacting", pairs},
          {"imported", imported_json(r)}};
}

}  // namespace ablate::search
