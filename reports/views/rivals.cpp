#include "reports/views/rivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/record/clocks.h"
#include "base/statistics/launch_ratio.h"
#include "base/statistics/quantile.h"
#include "base/text/text.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

std::optional<double> median_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(gate::median(values));
}

/// For both contestants, over all rounds.
std::string event_reasons(const measured_case& rival, const std::string& our_variant) {
  std::set<std::string> all;
  for (const auto& round : rival.in_turns)
    for (const auto& [variant, turn] : round)
      if ((variant == rival.variant || variant == our_variant) && turn.event_reasons)
        all.insert(turn.event_reasons->begin(), turn.event_reasons->end());
  return joined({all.begin(), all.end()});
}

std::string clocks_text(const turns_ratio& of) {
  return of.our_mhz && of.rival_mhz ? fmt::format("{:.0f}, {:.0f}", *of.our_mhz, *of.rival_mhz) : "";
}

}  // namespace

const record::rival_facts* rival_of(const record& r, const std::string& operation,
                                    const std::string& variant) {
  const auto has = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  for (const record::rival_facts& added : r.rivals)
    if (has(added.operations, operation) && has(added.variants, variant)) return &added;
  return nullptr;
}

bool turns_ratio::has_unlike_clocks() const {
  return our_mhz && rival_mhz && are_unlike(*our_mhz, *rival_mhz);
}

std::optional<turns_ratio> ratio_in_turns(const measured_case& rival, const std::string& our_variant) {
  std::vector<gate::launched_ratio> rounds;
  std::vector<double> in_cycles, our_mhz, rival_mhz;
  bool steady = true;
  for (const auto& round : rival.in_turns) {
    const auto ours = round.find(our_variant), theirs = round.find(rival.variant);
    if (ours == round.end() || theirs == round.end()) continue;
    const measured_case::turn &a = ours->second, &b = theirs->second;
    rounds.push_back({0, std::log(b.median_us / a.median_us)});
    steady = steady && a.steady && b.steady;
    if (!a.sm_mhz || !b.sm_mhz) continue;
    our_mhz.push_back(*a.sm_mhz);
    rival_mhz.push_back(*b.sm_mhz);
    in_cycles.push_back(b.median_us * *b.sm_mhz / (a.median_us * *a.sm_mhz));
  }
  if (rounds.empty()) return std::nullopt;
  const gate::launch_ratio over = gate::ratio_over_launches(rounds, shown_confidence);
  return turns_ratio{rounds.size(),      std::exp(over.estimate), std::exp(over.low),   std::exp(over.high),
                     median_of(our_mhz), median_of(rival_mhz),    median_of(in_cycles), steady};
}

table turns_table(const operation_view& view) {
  table out{{"workload", "rival", "ours", "clock event reasons", "rounds", "rival's time over ours",
             "SM MHz, ours and rival's", "in cycles"},
            4,
            {}};
  const workload_labels labels(view, view.varying_axes());
  for (const comparable_cases& row : view.rows)
    for (const std::string& rival : view.variants)
      for (const std::string& ours : view.variants) {
        const measured_case* c = row.of(rival);
        const auto ratio = c && ours != rival ? ratio_in_turns(*c, ours) : std::nullopt;
        if (!ratio) continue;
        std::vector<std::string> cases = {c->name};
        if (const measured_case* own = row.of(ours)) cases.insert(cases.begin(), own->name);
        out.lines.push_back(
            {{labels.of(row.axes), rival, ours, event_reasons(*c, ours), std::to_string(ratio->rounds),
              fmt::format("{:.3f} {}{}{}", ratio->ratio,
                          ratio->rounds > 1 ? fmt::format("({:.3f} to {:.3f})", ratio->low, ratio->high)
                                            : "(unbounded)",
                          ratio->has_unlike_clocks() ? " ‡" : "", ratio->steady ? "" : " ~"),
              clocks_text(*ratio), ratio->in_cycles ? fmt::format("{:.3f}", *ratio->in_cycles) : ""},
             std::move(cases)});
      }
  return out;
}

}  // namespace ablate::reports
