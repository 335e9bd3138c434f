#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/record/old_names.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/names.h"
#include "base/text/terminal.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "harness/cli/devices_option.h"
#include "harness/cli/search_launches.h"
#include "harness/cli/search_run.h"
#include "harness/cli/suite_option.h"
#include "harness/registry/registry.h"
#include "harness/runner/worker_progress.h"
#include "reports/search/outputs.h"

namespace ablate {
namespace {

struct search_arguments {
  std::string operation, out, device, strategy = "halving", import_t4, export_t4, export_t1;
  std::vector<std::string> axes;
  double budget_s = 0;
  std::uint64_t seed = 1;
  bool resume = false, json = false;
};

const operation& searched_operation(const std::string& name) {
  if (const operation* of = operation_instead_of_suite({name, {}})) return *of;
  std::vector<std::string> known;
  for (const auto& of : operations()) known.push_back(of->name);
  throw bad_input("search", "", no_such("operation", name, known));
}

/// Null where this machine has none, which is told.
std::optional<gpu_summary> gpu_to_search_on(const std::string& asked) {
  if (asked == "host") throw bad_input("--device", "", "expected a GPU: on the host there is one point");
  std::string why_none;
  const std::vector<gpu_summary> gpus = find_gpus(why_none);
  if (gpus.empty()) {
    fmt::print(stderr, "ablate: search: no GPU: {}; a search times kernels\n", why_none);
    return std::nullopt;
  }
  const int index = asked.empty() ? gpus.front().index : device_index(asked, gpus, why_none);
  for (const gpu_summary& gpu : gpus)
    if (gpu.index == index) return gpu;
  return std::nullopt;
}

double steady_seconds() { return static_cast<double>(steady_ns()) * 1e-9; }

void write_export(const std::string& file, const nlohmann::ordered_json& json) {
  if (!file.empty()) reports::write_text_file(file, reports::json_text(json, 1) + "\n");
}

int search_operation(const search_arguments& given, const std::string& command_line) {
  const operation& of = searched_operation(given.operation);
  // Bad axes are told on any machine.
  searched_space_of(of, given.axes, target{});
  const std::optional<gpu_summary> gpu = gpu_to_search_on(given.device);
  if (!gpu) return 4;
  const searched_space searched =
      searched_space_of(of, given.axes, {.compute_capability = gpu->compute_capability});
  search_options how;
  how.strategy = given.strategy;
  how.budget_s = given.budget_s;
  how.seed = given.seed;
  how.resume = given.resume;
  how.t4 = given.import_t4;
  how.gpu = gpu->uuid;
  how.run.out = given.out.empty() ? std::filesystem::path("out") / searched.from.name
                                  : std::filesystem::path(given.out);
  how.run.devices = {gpu->index};
  how.run.command = command_line;
  try {
    const search::result found =
        run_search(of, searched, how, {run_suite, wait_for_another_second, steady_seconds});
    write_export(given.export_t4, search::t4_json(found));
    write_export(given.export_t1, search::t1_json(found));
    fmt::print("{}", given.json ? reports::json_text(search::result_json(found), 1) + "\n"
                                : search::result_text(found, reports::standard_output()));
    return exit_code_of(found);
  } catch (const search_interrupted& why) {
    fmt::print(stderr, "ablate: search: {}\n", why.what());
    return 130;
  }
}

}  // namespace

void add_search_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "search",
      "Find the fastest point of an operation's switches by measuring, and show that no neighbor in one switch "
      "is faster");
  const auto given = std::make_shared<search_arguments>();
  command
      ->add_option("operation", given->operation, "An operation; `ablate list OPERATION` shows its switches")
      ->required()
      ->type_name("OPERATION");
  command
      ->add_option("--axes", given->axes,
                   "The workload, one value an axis: --axes points=131072 distribution=lidar cache=hot [each "
                   "axis's default, cold-clean]")
      ->type_name("AXIS=VALUE...")
      ->check(why_no_assignment);
  command
      ->add_option("--budget", given->budget_s,
                   "Seconds to measure, those of a resumed search included. A batch that would take longer "
                   "does not begin")
      ->required()
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e7));
  command
      ->add_option("--strategy", given->strategy,
                   "halving: successive halving over neighbors; random: points in random order, to compare "
                   "with [halving]")
      ->type_name("NAME")
      ->check(CLI::IsMember({"halving", "random"}));
  command->add_option("--seed", given->seed, "Seed of a random order [1]")->type_name("N");
  command->add_option("--device", given->device, "Number of the GPU as CUDA counts them [the first]")
      ->type_name("N");
  command
      ->add_option("--out", given->out,
                   "Directory for search.jsonl, record.json and the records of further launches "
                   "[out/search_OPERATION]")
      ->type_name("DIR");
  command->add_flag("--resume", given->resume,
                    "Go on with the search in the output directory. Nothing that finished is measured again");
  command
      ->add_option("--import-t4", given->import_t4,
                   "Results of another program, in the T4 format of Kernel Tuner: they order the points, no "
                   "verdict rests on them")
      ->type_name("FILE");
  command->add_option("--export-t4", given->export_t4, "Write what was measured in the T4 format")
      ->type_name("FILE");
  command
      ->add_option("--export-t1", given->export_t1,
                   "Write the space in the T1 format: switches, values, points")
      ->type_name("FILE");
  command->add_flag("--json", given->json, "Print JSON");
  command->footer(
      "The record is an ordinary one: `ablate report`, `best` and `attribute` read it. Exit code 0 with a "
      "winner, proven or not, 3 if a point gave a wrong result, 75 if one failed or hung, 4 without a GPU or if "
      "no point was measured, 130 if interrupted.");
  command->callback([given, &called] { called.exit_code = search_operation(*given, called.command_line); });
}

}  // namespace ablate
