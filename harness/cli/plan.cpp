#include "harness/suite/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/text/json_text.h"
#include "base/text/text_file.h"
#include "harness/cli/chip_option.h"
#include "harness/cli/commands.h"
#include "harness/cli/help.h"
#include "harness/cli/inputs.h"
#include "harness/cli/metrics_option.h"
#include "harness/cli/suite_option.h"
#include "harness/runner/plan_shards.h"

namespace ablate {

namespace {

struct plan_arguments {
  suite_choice what;
  std::string chip = "h200", filter, together, write_suite;
  bool json = false;
  long shards = 0, devices = 0;
  std::vector<std::string> data, durations;
  requested_counters metrics;
};

}  // namespace

void add_plan_command(CLI::App& program, invocation&) {
  CLI::App* command =
      program.add_subcommand("plan",
                             "Show the cost of a run on a chip: its cases, their device memory and time, and "
                             "the passes that counters need. Needs no GPU");
  const auto given = std::make_shared<plan_arguments>();
  add_suite_options(*command, given->what);
  add_chip_option(*command, given->chip,
                  "The chip to plan for: a100 (SXM4, 80 GB), h100 (SXM5, 80 GB) or h200 (141 GB); or, from "
                  "data sheets only, a100_40gb, a100_pcie or h100_pcie. It decides which cases apply, how "
                  "much memory there is, and how large a cache is flushed [h200]");
  command
      ->add_option(
          "--filter", given->filter,
          "Plan only cases with these values, as in 'points=1024 variant=direct,merged' (exact matches); any "
          "other text is a regular expression (ECMAScript) to search for in ids, as in "
          "'smem_.*distribution=lidar'. The calibrations, which measure the ceilings, are always planned")
      ->type_name("AXIS=VALUE...|RE");
  add_data_option(*command, given->data);
  add_metrics_options(*command, given->metrics);
  command
      ->add_option(
          "--shards", given->shards,
          "Divide the cases among so many shards, as `run --shard i/n` does: cases that are compared stay "
          "together, and the longest such bundle goes to the shard with the least work")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--devices", given->devices,
                   "Show the time on so many GPUs, as with `run --devices`; per shard, with --shards [1]")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  add_together_option(*command, given->together);
  add_durations_option(*command, given->durations);
  command
      ->add_option("--write-suite", given->write_suite,
                   "For an operation: write the suite that a run of it would use, to keep or edit")
      ->type_name("FILE");
  command->add_flag("--json", given->json,
                    "Print JSON, which also lists the cases: id, status or reason, device bytes, seconds");
  group_options(*command, "Counters by name", {"--metrics", "--metric-groups"});
  group_options(*command, "Several GPUs and shards", {"--shards", "--devices", "--together", "--durations"});
  command->footer(
      "A suite with more cases than its maximum_cases (1000 by default) is refused with their number. A case "
      "is input_missing if its point file is not found, failed if that file is broken, and not_applicable if "
      "it has too few points.");
  command->callback([given] {
    suite from = chosen_suite(given->what);
    if (!given->write_suite.empty())
      reports::write_text_file(given->write_suite, chosen_suite_text(given->what));
    from.keeps_operations_together = !given->together.empty();
    const chip& on = chip_named(given->chip);
    ask_for_metrics(given->metrics, on, from);
    const plan planned = make_plan(from, on, make_input_library(from, given->data), given->filter);
    std::optional<shard_plan> shards;
    if (given->shards > 0 || given->devices > 0) {
      shards = plan_shards(from, {false, on.compute_capability}, on,
                           {std::max(1l, given->shards),
                            given->filter,
                            data_directories(given->data),
                            {given->durations.begin(), given->durations.end()}});
      shards->devices = std::max(1l, given->devices);
    }
    if (given->json) {
      nlohmann::ordered_json json = to_json(planned, from);
      if (shards) json["shards"] = to_json(*shards);
      fmt::print("{}\n", reports::json_text(json, 2));
    } else {
      fmt::print("{}{}", to_text(planned, from), shards ? to_text(*shards) : "");
    }
  });
}

}  // namespace ablate
