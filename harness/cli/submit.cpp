#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/text/bad_input.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "harness/cli/chip_option.h"
#include "harness/cli/commands.h"
#include "harness/cli/help.h"
#include "harness/cli/inputs.h"
#include "harness/cli/slurm_scripts.h"
#include "harness/cli/suite_option.h"
#include "harness/runner/plan_shards.h"

namespace ablate {

namespace {

namespace fs = std::filesystem;

// Times are estimates, and a node must first read its program and inputs.
constexpr double margin = 1.5, minutes_to_begin = 10;

struct submit_arguments {
  suite_choice what;
  std::string filter, counters, seed, out, together, chip = "h200", constraint;
  std::vector<std::string> data, durations, site;
  long shards = 0, gpus_per_node = 1;
};

fs::path absolute_path(const std::string& path) { return fs::absolute(path).lexically_normal(); }

/// What each shard's `ablate run` is given.
std::vector<std::string> run_words(const submit_arguments& given) {
  const bool is_file = !operation_instead_of_suite(given.what);
  std::vector<std::string> out = {is_file ? absolute_path(given.what.name).string() : given.what.name};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    out.emplace_back(option);
    out.push_back(value);
  };
  add("--filter", given.filter);
  add("--counters", given.counters);
  add("--seed", given.seed);
  add("--together", given.together);
  for (const std::string& assignment : given.what.assignments) {
    constexpr std::string_view of_switch = "switch.";
    const bool is_switch = assignment.starts_with(of_switch);
    add(is_switch ? "--switch" : "--axes", is_switch ? assignment.substr(of_switch.size()) : assignment);
  }
  for (const fs::path& directory : data_directories(given.data))
    add("--data", absolute_path(directory.string()));
  for (const std::string& record : given.durations) add("--durations", absolute_path(record).string());
  add("--chip", given.chip);
  return out;
}

/// A line break would begin a line of a script, a directive of sbatch among them; of a directive's value a
/// blank begins another option, and # a comment.
void refuse_lines(const submit_arguments& given) {
  const auto refuse = [](const char* option, const std::string& text, std::string_view unwanted,
                         const char* expected) {
    if (text.find_first_of(unwanted) != std::string::npos) throw bad_input(option, "", expected);
  };
  constexpr std::string_view breaks("\n\r\0", 3), parts(" \t\n\v\f\r#\"'\\\0", 11);
  refuse("--constraint", given.constraint, parts, "expected features without blanks, quotes or #");
  for (const std::string* text :
       {&given.what.name, &given.filter, &given.counters, &given.seed, &given.out, &given.together})
    refuse("submit", *text, breaks, "expected arguments of one line each");
  for (const auto* all : {&given.what.assignments, &given.data, &given.durations, &given.site})
    for (const std::string& text : *all)
      refuse("submit", text, breaks, "expected arguments of one line each");
}

void make_executable(const fs::path& script) {
  fs::permissions(script, fs::perms::owner_exec | fs::perms::group_exec, fs::perm_options::add);
}

void submit(const submit_arguments& given) {
  refuse_lines(given);
  suite from = chosen_suite(given.what);
  from.keeps_operations_together = !given.together.empty();
  const chip& on = chip_named(given.chip);
  shard_plan plan = plan_shards(from, {false, on.compute_capability}, on,
                                {given.shards,
                                 given.filter,
                                 data_directories(given.data),
                                 {given.durations.begin(), given.durations.end()}});
  plan.devices = given.gpus_per_node;
  double slowest = 0;
  for (long i = 1; i <= plan.count; ++i) slowest = std::max(slowest, plan.seconds_of(i));

  slurm_request wanted;
  wanted.program = fs::read_symlink("/proc/self/exe");
  wanted.out = absolute_path(given.out);
  wanted.run_words = run_words(given);
  wanted.name = "ablate-" + reports::slug(from.name);
  wanted.shards = given.shards;
  wanted.gpus_per_node = given.gpus_per_node;
  wanted.constraint = given.constraint;
  wanted.shard_minutes = static_cast<long>(std::ceil(margin * slowest / 60 + minutes_to_begin));
  wanted.site_options = given.site;
  fs::create_directories(wanted.out);
  reports::write_text_file(wanted.out / "shard.sbatch", shard_script(wanted));
  reports::write_text_file(wanted.out / "merge.sbatch", merge_script(wanted));
  const fs::path script = wanted.out / "submit.sh";
  reports::write_text_file(script, submit_script(wanted));
  make_executable(script);
  fmt::print("{}", to_text(plan));
  fmt::print("{}\n", script.string());
}

}  // namespace

void add_submit_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "submit", "Write a Slurm array that runs a suite in shards, and the job that merges them");
  const auto given = std::make_shared<submit_arguments>();
  add_suite_options(*command, given->what);
  command
      ->add_option("--shards", given->shards,
                   "Tasks of the array, each on a node of its own; `plan --shards` shows their times")
      ->required()
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option(
          "--out", given->out,
          "Directory shared by all nodes, for shard.sbatch, merge.sbatch, submit.sh, logs and records")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--gpus-per-node", given->gpus_per_node,
                   "GPUs that a task requests; it uses all that it gets [1]")
      ->type_name("N")
      ->check(CLI::Range(1, 64));
  command->add_option("--constraint", given->constraint, "Features of the nodes, as sbatch reads them")
      ->type_name("LIST");
  command->add_option("--filter", given->filter, "As for `run`")->type_name("AXIS=VALUE...|RE");
  add_data_option(*command, given->data);
  command->add_option("--seed", given->seed, "As for `run`")->type_name("N");
  command->add_option("--counters", given->counters, "As for `run`")->type_name("SET");
  add_together_option(*command, given->together);
  add_durations_option(*command, given->durations);
  add_chip_option(*command, given->chip, "The chip whose estimated times divide the suite [h200]");
  command->add_option("site", given->site, "After --: options for sbatch, as in -- --account=x --partition=y")
      ->type_name("-- OPTION...");
  group_options(*command, "Options of the suite's run, as for `run`",
                {"--seed", "--counters", "--together", "--durations"});
  command->footer(
      "A task's time limit is one and a half times the planned time, plus ten minutes. Two minutes before "
      "it, or on preemption, the task stops, is requeued and continues from its journal, at most three "
      "times. The merge waits for all tasks, however they end, and writes record.json and report/. See "
      "docs/cluster.md.");
  command->callback([given] { submit(*given); });
}

}  // namespace ablate
