#include "harness/cli/metrics_option.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/text/bad_input.h"
#include "harness/counters/metric_groups_file.h"
#include "harness/counters/requested_metrics.h"
#include "harness/counters/unavailable.h"

namespace ablate {

namespace {

/// `file`, `place`: for messages.
std::vector<counter_group> planned(const named_metrics& wanted, const chip& on, const std::string& file,
                                   const std::string& place) {
  try {
    return one_pass_groups(wanted.metrics, on.silicon, wanted.name, wanted.purpose);
  } catch (const metric_refused& why) {
    throw bad_input(file, place, fmt::format("{} ({})", why.what(), on.name));
  } catch (const counters_unavailable& why) {
    throw bad_input(file, place,
                    fmt::format("CUPTI cannot be asked which metrics {} has: {}", on.silicon, why.what()));
  }
}

std::vector<counter_group> all_planned(const requested_counters& given, const chip& on) {
  std::vector<counter_group> out;
  const auto add = [&](const std::vector<counter_group>& groups) {
    out.insert(out.end(), groups.begin(), groups.end());
  };
  if (!given.groups_file.empty())
    for (const named_metrics& wanted : read_metric_groups(given.groups_file, on.silicon))
      add(planned(wanted, on, given.groups_file, fmt::format("group '{}'", wanted.name)));
  if (!given.metrics.empty())
    add(planned({"metrics", "metrics requested by name", given.metrics}, on, "--metrics", ""));
  return out;
}

}  // namespace

void add_metrics_options(CLI::App& command, requested_counters& given) {
  command
      .add_option(
          "--metrics", given.metrics,
          "Hardware metrics by CUPTI's names, such as lts__t_sectors_op_write.sum, for every case, in "
          "addition to the suite's counters; planned into launches of one pass each. `ncu --query-metrics` "
          "lists them")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--metric-groups", given.groups_file,
                  "Groups of such metrics from a file (docs/counters.md), for every case, in addition to the "
                  "suite's counters; a group that needs several passes becomes NAME, NAME_2 ...")
      ->type_name("FILE");
}

void ask_for_metrics(const requested_counters& given, const chip& on, suite& of) {
  const std::vector<counter_group> groups = all_planned(given, on);
  if (groups.empty()) return;
  try {
    add_counter_groups(groups);
  } catch (const std::invalid_argument& taken) {
    throw bad_input(given.groups_file, "", fmt::format("{}; expected another", taken.what()));
  }
  const auto add_to = [&](std::string& choice) {
    if (choice == no_counters) choice.clear();
    for (const counter_group& group : groups) choice += (choice.empty() ? "" : ",") + group.name;
  };
  add_to(of.counters);
  for (suite_block& block : of.blocks)
    if (block.counters) add_to(*block.counters);
}

}  // namespace ablate
