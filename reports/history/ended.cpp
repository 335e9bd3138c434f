#include "reports/history/ended.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ablate::history {
namespace {

bool has_point_in(const series& of, std::int64_t record) {
  return std::any_of(of.nights.begin(), of.nights.end(), [&](const night& n) { return n.record == record; });
}

/// Whether both are of one case, timed by one method with one input: they may be of two kinds of device.
bool are_alike(const series& a, const series& b) {
  return a.case_name == b.case_name && a.method == b.method && a.input_hash == b.input_hash &&
         a.seed == b.seed;
}

/// The series that has the same case in this record; null if none does.
const series* successor(const series& of, const std::vector<series>& all, std::int64_t record) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const series& s) {
    return s.case_name == of.case_name && has_point_in(s, record);
  });
  return found == all.end() ? nullptr : &*found;
}

std::string how_it_differs(const series& before, const series& after) {
  if (before.seed != after.seed) return fmt::format("its seed is {}, not {}", after.seed, before.seed);
  if (before.input_hash != after.input_hash)
    return fmt::format("its input has the hash {}, not {}", after.input_hash, before.input_hash);
  return fmt::format("it is timed by {}, not by {}", after.method, before.method);
}

/// Nothing if the suite's newest record has a point of the series.
std::optional<series_end> end_in(const std::string& suite, const series& of, const std::vector<series>& all,
                                 const std::vector<recorded_night>& records) {
  const recorded_night *newest = nullptr, *since = nullptr;
  for (const recorded_night& r : records) {
    if (r.fingerprint != of.fingerprint || !r.kinds.contains(of.kind) || r.suite != suite) continue;
    newest = &r;
    if (has_point_in(of, r.record))
      since = nullptr;
    else if (!since)
      since = &r;
  }
  if (!since) return std::nullopt;
  const series* goes_on = successor(of, all, newest->record);
  if (goes_on && are_alike(*goes_on, of)) return std::nullopt;
  const auto last =
      std::find_if(of.nights.rbegin(), of.nights.rend(), [&](const night& n) { return n.suite == suite; });
  series_end out{gate::mismatch::gone, suite, *last, *since, {}};
  const std::string when =
      fmt::format("since {} ({})", since->date, commit_text(since->commit, since->dirty));
  if (goes_on) {
    out.kind = gate::mismatch::different;
    out.reason = fmt::format("{} {} in suite {}", how_it_differs(of, *goes_on), when, suite);
  } else {
    out.reason = fmt::format("suite {} has not measured it {}; last measured on {} ({})", suite, when,
                             last->date, commit_text(last->commit, last->dirty));
  }
  return out;
}

}  // namespace

std::vector<series_end> ends_of(const series& of, const std::vector<series>& all,
                                const std::vector<recorded_night>& records) {
  std::set<std::string> suites;
  for (const night& n : of.nights) suites.insert(n.suite);
  std::vector<series_end> out;
  for (const std::string& suite : suites)
    if (auto end = end_in(suite, of, all, records)) out.push_back(std::move(*end));
  return out;
}

std::string end_text(const series& of, const series_end& end) {
  return fmt::format("{}: {} on {}: {}", gate::name_of(end.kind), of.case_name, of.device_text(), end.reason);
}

}  // namespace ablate::history
