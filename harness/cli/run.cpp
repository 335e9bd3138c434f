#include "harness/runner/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "base/text/bad_input.h"
#include "base/text/shell.h"
#include "base/text/terminal.h"
#include "harness/build_facts.h"
#include "harness/cli/chip_option.h"
#include "harness/cli/commands.h"
#include "harness/cli/devices_option.h"
#include "harness/cli/help.h"
#include "harness/cli/inputs.h"
#include "harness/cli/launches.h"
#include "harness/cli/metrics_option.h"
#include "harness/cli/shard_option.h"
#include "harness/cli/suite_option.h"
#include "harness/counters/metric_groups.h"
#include "harness/runner/worker_progress.h"
#include "reports/best/outputs.h"

namespace ablate {

namespace {

/// What a machine without a chip of ours is taken for, as in `plan`.
constexpr const char* default_chip = "h200";

struct run_arguments {
  suite_choice what;
  std::string filter, out, device, devices, together, seed, counters;
  long replicas = 1;
  bool resume = false, overwrite = false, timeline = false, energy = false;
  std::vector<std::string> data, durations;
  requested_counters metrics;
  std::string shard, chip = default_chip;
  launch_settings launch;
  int samples = 0;
  long launches = 0;  ///< 0: as the suite says
  std::string order_seed;
};

std::uint64_t seed_value(const std::string& text, const char* option) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_input(
        option, "",
        fmt::format("'{}' is not a seed; expected an integer from 0 to 18446744073709551615", text));
  return seed;
}

/// For every case, whatever the suite says.
void choose_counters(const std::string& choice, suite& from) {
  try {
    chosen_groups(choice);
  } catch (const std::invalid_argument& e) {
    throw bad_input("--counters", "", e.what());
  }
  from.counters = choice;
  for (suite_block& block : from.blocks) block.counters.reset();
}

/// What a gate drives launches with; of use to others too.
void add_launch_options(CLI::App& command, run_arguments& given) {
  command
      .add_option("--samples", given.samples,
                  "Number of samples per case, in place of the suite's; dropped ones are replaced")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      .add_option("--order-seed", given.order_seed,
                  "Shuffle the order of the cases by this seed; those of the same axes stay together")
      ->type_name("N");
  command
      .add_option("--only", given.launch.only,
                  "Run only these cases, without calibrations: ids, or axis=value words, as in points=1024 "
                  "variant=direct,merged")
      ->type_name("ID|AXIS=VALUE...");
  command
      .add_option("--ceilings", given.launch.ceilings,
                  "Run only the calibrations of these ceilings; none: no calibrations [all]")
      ->type_name("NAME...");
  command.add_flag("--unchecked", given.launch.unchecked,
                   "Time the cases without comparing their outputs: for launches of a gate, which compares "
                   "them before and after");
  command
      .add_option("--inject-delay", given.launch.delay.pct,
                  "Slow cases down by so many percent, to test a gate; only in builds with "
                  "-DABLATE_INJECT_DELAY=ON")
      ->type_name("PCT")
      ->check(CLI::Range(0.0, 1000.0));
  command
      .add_option("--inject-into", given.launch.delay.into,
                  "Slow down only these cases, selected as by --filter [all]")
      ->type_name("AXIS=VALUE...|RE");
}

launch_settings launch_of(const run_arguments& given) {
  launch_settings out = given.launch;
  if (given.samples > 0) out.samples = given.samples;
  if (!given.order_seed.empty()) out.order_seed = seed_value(given.order_seed, "--order-seed");
  return out;
}

void add_shard_options(CLI::App& command, run_arguments& given) {
  CLI::Option* const shard =
      command
          .add_option(
              "--shard", given.shard,
              "Run shard i of n, as `plan --shards n` divides the suite; `dev record` merges their records. "
              "auto reads i and n from Slurm, PBS, LSF, Kubernetes or GitLab, auto/n only i")
          ->type_name("I/N|auto")
          ->excludes("--only");
  add_together_option(command, given.together);
  add_durations_option(command, given.durations);
  add_chip_option(command, given.chip,
                  "The chip whose estimated times divide the suite; the same for all shards, whatever GPU "
                  "they run on [h200]")
      ->needs(shard);
}

void take_shard_options(const run_arguments& given, run_options& options) {
  if (!given.durations.empty() && given.shard.empty() && given.devices.empty())
    throw bad_input("--durations", "", "expected with --shard or --devices, whose parts it balances");
  if (!given.together.empty() && given.shard.empty() && given.devices.empty())
    throw bad_input("--together", "", "expected with --shard or --devices, whose bundles it enlarges");
  options.durations.assign(given.durations.begin(), given.durations.end());
  if (given.shard.empty()) return;
  options.shard = shard_of(given.shard);
  options.shard_chip = chip_named(given.chip).name;
}

void add_device_options(CLI::App& command, run_arguments& given) {
  CLI::Option* const device =
      command
          .add_option("--device", given.device,
                      "Number of the GPU as CUDA counts them, or 'host' for the host references [the first "
                      "GPU, or the host without one]")
          ->type_name("N|host");
  CLI::Option* const devices =
      command
          .add_option("--devices", given.devices,
                      "Several GPUs of one kind at once, each with a process and a journal of its own: all, "
                      "or numbers and UUIDs, separated by commas; host,host runs the host references in two "
                      "processes. Cases that are compared stay on one GPU; the longest such bundle starts "
                      "first")
          ->type_name("all|N,UUID,...")
          ->excludes(device);
  command
      .add_option("--replicas", given.replicas,
                  "Measure every bundle on so many of the --devices: record.json, replica-2/record.json ... "
                  "[1]")
      ->type_name("K")
      ->check(CLI::Range(1, 64))
      ->needs(devices);
}

const chip& chip_of(const std::vector<gpu_summary>& gpus, int index) {
  for (const gpu_summary& gpu : gpus)
    if (const chip* known = chip_of_product(gpu.name); known && gpu.index == index) return *known;
  return chip_named(default_chip);
}

/// Where no GPU is asked for, or there is none.
const chip& run_on_host(long workers, const std::string& notice, run_options& options) {
  options.host = true;
  options.host_workers = workers;
  options.notice = notice;
  return chip_named(default_chip);
}

constexpr const char* asked_for_host =
    "Running on the host, as requested: each operation's reference, no GPU kernel.";

std::string no_gpu_notice(const std::string& why_none) {
  return fmt::format(
      "No GPU: {}. Running each operation's host reference instead: no GPU kernels, no counters.", why_none);
}

/// Gives the chip whose counters are read; on the host, where none are, the one that `plan` would plan for.
const chip& choose_device(const run_arguments& given, run_options& options) {
  if (given.device == "host") return run_on_host(1, asked_for_host, options);
  std::string why_none;
  const std::vector<gpu_summary> gpus = find_gpus(why_none);
  if (!given.devices.empty()) {
    const chosen_devices chosen = devices_of(given.devices, gpus, why_none);
    if (chosen.gpus.empty())
      return run_on_host(chosen.host_workers,
                         given.devices == "all" ? no_gpu_notice(why_none) : asked_for_host, options);
    options.devices = chosen.gpus;
  } else if (!given.device.empty()) {
    options.devices = {device_index(given.device, gpus, why_none)};
  } else if (gpus.empty()) {
    return run_on_host(1, no_gpu_notice(why_none), options);
  } else {
    options.devices = {gpus.front().index};
  }
  return chip_of(gpus, options.devices.front());
}

/// What was measured, in a few lines; the record's path comes last, where it is seen.
void print_results(const std::filesystem::path& file) {
  const record made = read_record(file);
  fmt::print("{}{}\n", best::results_text(made, reports::standard_output()), file.string());
  if (!made.cases.empty())
    fmt::print(
        "`{0} best {1} AXIS=VALUE` ranks the variants of a workload; `{0} report {1} --out DIR` draws them\n",
        this_build().program, reports::shell_word(file.parent_path().string()));
}

}  // namespace

void add_run_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "run", "Run a suite or an operation and record every case; without a GPU, the host references");
  const auto given = std::make_shared<run_arguments>();
  add_suite_options(*command, given->what);
  command
      ->add_option(
          "--filter", given->filter,
          "Run only cases with these values, as in 'points=1024 variant=direct,merged' (exact matches); any "
          "other text is a regular expression (ECMAScript) to search for in ids, as in "
          "'smem_.*distribution=lidar'; `plan --json` shows the ids. The calibrations, which measure the "
          "ceilings, always run")
      ->type_name("AXIS=VALUE...|RE");
  add_device_options(*command, *given);
  add_data_option(*command, given->data);
  command
      ->add_option("--seed", given->seed, "Seed of every generated input, 0 or more; overrides the suite's")
      ->type_name("N");
  command
      ->add_option("--counters", given->counters,
                   fmt::format("Hardware counters of every case: {}, or groups, separated by commas; read "
                               "after timing, one launch per group [as the suite says]",
                               fmt::join(counter_set_names(), ", ")))
      ->type_name("SET");
  add_metrics_options(*command, given->metrics);
  command->add_flag("--timeline", given->timeline,
                    "Record SM activity, issue, tensor activity and DRAM traffic over the time of each case");
  command->add_flag("--energy", given->energy,
                    "Meter the joules per launch of each case, by NVML: two to five seconds more per case");
  command
      ->add_option("--out", given->out,
                   "Directory for record.json and its journal; created if missing [out/<name of the suite>]")
      ->type_name("DIR");
  command->add_flag(
      "--resume", given->resume,
      "Continue the run whose journal is in the output directory. Cases that finished on the same input, "
      "with the same sampling, are kept; those that failed, ran out of memory or lacked their input run "
      "again, and so do all others. Driver, build and kind of GPU must be the same; on another GPU of the "
      "kind, cases that are compared run again together. Without --resume, a directory with an unfinished "
      "run is refused");
  command
      ->add_flag("--overwrite", given->overwrite,
                 "Replace the record of a finished run in the output directory, otherwise refused")
      ->excludes("--resume");
  add_launch_options(*command, *given);
  add_shard_options(*command, *given);
  command
      ->add_option("--launches", given->launches,
                   "Measure everything in so many processes, one after another; all but the first only time. "
                   "Verdicts on small effects need six [as the suite says]")
      ->type_name("N")
      ->check(CLI::Range(1L, most_launches))
      ->excludes("--shard")
      ->excludes("--unchecked");
  group_options(*command, "Several GPUs and shards",
                {"--replicas", "--shard", "--together", "--durations", "--chip"});
  group_options(*command, "Counters by name", {"--metrics", "--metric-groups", "--timeline", "--energy"});
  group_options(*command, "Launches of a gate",
                {"--only", "--samples", "--order-seed", "--ceilings", "--unchecked", "--inject-delay",
                 "--inject-into"});
  command->footer(
      "Every finished case is journalled, so a killed run loses one case at most; `ablate dev record` makes "
      "a record of the rest. Exit code 3 if a case gave a wrong result, 75 if one failed or hung or a GPU "
      "was lost, 130 if interrupted, 4 if no case was measured (all lack their input, say). Single cases "
      "that are not applicable or lack their input do not count.");
  command->callback([given, &called] {
    const long long began_ns = steady_ns();
    suite from = chosen_suite(given->what);
    if (!given->seed.empty()) from.seed = seed_value(given->seed, "--seed");
    if (!given->counters.empty()) choose_counters(given->counters, from);
    if (given->energy) {
      from.energy = true;
      for (suite_block& block : from.blocks) block.energy.reset();
    }
    if (given->launches > 0) from.launches = {given->launches, given->launches, false};
    from.keeps_operations_together = !given->together.empty();
    run_options options;
    options.began_ns = began_ns;
    options.timeline = given->timeline;
    options.out =
        given->out.empty() ? std::filesystem::path("out") / from.name : std::filesystem::path(given->out);
    options.filter = given->filter;
    options.resume = given->resume;
    options.keeps_finished =
        !given->overwrite && !given->launch.unchecked;  // a gate's launches are its own to repeat
    options.data_directories = data_directories(given->data);
    options.command = called.command_line;
    options.launch = launch_of(*given);
    take_shard_options(*given, options);
    options.replicas = given->replicas;
    ask_for_metrics(given->metrics, choose_device(*given, options), from);
    if (!given->counters.empty()) options.counters = from.counters;
    called.exit_code = run_launches(from, options);
    if (!options.launch.unchecked) print_results(options.out / "record.json");
  });
}

}  // namespace ablate
