#include "harness/cli/metrics_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/counters/requested_metrics.h"
#include "harness/counters/unavailable.h"
#include "reports/text/bad_input.h"

namespace ablate {

namespace {

std::vector<counter_group> planned(const std::vector<std::string>& metrics, const chip& on) {
  try {
    return one_pass_groups(metrics, on.silicon);
  } catch (const metric_refused& why) {
    throw bad_input("--metrics", "", fmt::format("{} ({})", why.what(), on.name));
  } catch (const counters_unavailable& why) {
    throw bad_input("--metrics", "",
                    fmt::format("CUPTI cannot be asked which metrics {} has: {}", on.silicon, why.what()));
  }
}

}  // namespace

void add_metrics_option(CLI::App& command, std::vector<std::string>& metrics) {
  command
      .add_option(
          "--metrics", metrics,
          "Hardware metrics by CUPTI's names, as in lts__t_sectors_op_write.sum, for every case, beside "
          "the suite's counters; planned into launches of one pass each. `ncu --query-metrics` lists "
          "them")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void ask_for_metrics(const std::vector<std::string>& metrics, const chip& on, suite& of) {
  if (metrics.empty()) return;
  const std::vector<counter_group> groups = planned(metrics, on);
  add_counter_groups(groups);
  const auto add_to = [&](std::string& choice) {
    if (choice == no_counters) choice.clear();
    for (const counter_group& group : groups) choice += (choice.empty() ? "" : ",") + group.name;
  };
  add_to(of.counters);
  for (suite_block& block : of.blocks)
    if (block.counters) add_to(*block.counters);
}

}  // namespace ablate
