#include "harness/gate/gate.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/shell.h"
#include "base/text/terminal.h"
#include "base/text/text_file.h"
#include "harness/build_facts.h"
#include "harness/cli/affected_cases.h"
#include "harness/cli/commands.h"
#include "harness/cli/devices_option.h"
#include "harness/cli/gate_files.h"
#include "harness/cli/help.h"
#include "harness/cli/plot_files.h"
#include "harness/cli/record_files.h"
#include "harness/device/chip.h"
#include "harness/gate/calibrate.h"
#include "harness/gate/findings.h"
#include "harness/gate/interruptible.h"
#include "harness/gate/on_devices.h"
#include "harness/gate/outputs.h"
#include "harness/gate/tool_failure.h"
#include "harness/inputs/input_library.h"
#include "reports/fleet/across.h"
#include "reports/fleet/plots.h"

namespace ablate {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t readings_of_counters = 4;  // of each build: what they vary by is their band
constexpr int unfit_environment = 4, tool_failed = 75, was_interrupted = 130;

struct gate_arguments {
  std::string baseline, candidate, suite, policy, floors, accepted, out;
  std::string filter, device, devices, seed, inject_delay, inject_into;
  std::vector<std::string> data;
  std::string json, junit, markdown, findings, plots;
  std::vector<std::string> across, builds;
  double budget_seconds = 0;
  int runs = 0, pairs = 0;
  std::string affected;
  bool strict = false, resume = false, annotations = false, all = false, no_counters = false, changed = false;
};

std::string hash_of_file(const fs::path& path) {
  const std::string text = reports::read_text_file(path);
  return hash_hex(text.data(), text.size());
}

void add_common_options(CLI::App& command, gate_arguments& given) {
  command.add_option("--policy", given.policy, "How the gate decides [suites/gates/default.json]")
      ->type_name("FILE");
  command
      .add_option("--filter", given.filter,
                  "Only cases with these values, as in 'points=1024 variant=direct'; any other text is a "
                  "regular expression (ECMAScript) to search for in ids")
      ->type_name("AXIS=VALUE...|RE");
  command
      .add_option("--device", given.device,
                  "As for `run`: number of a GPU, or 'host', without which host references are not judged")
      ->type_name("N|host");
  command.add_option("--seed", given.seed, "As for `run`")->type_name("N");
  command.add_option("--data", given.data, "As for `run`")->type_name("DIR")->allow_extra_args(false);
  command
      .add_option("--budget", given.budget_seconds,
                  "Time limit in seconds; what is undecided by then is INCONCLUSIVE [the policy's]")
      ->type_name("S")
      ->check(CLI::Range(0.001, 1e6));
  command.add_flag("--resume", given.resume, "Continue the journal in the output directory");
  command.add_flag("--no-counters", given.no_counters, "Do not read hardware counters");
}

/// What the command line says by itself, before any file is read.
gate::gate_request request_of(const gate_arguments& given, const char* out) {
  gate::gate_request request;
  request.baseline = given.baseline;
  request.candidate = given.candidate;
  request.suite = given.suite;
  if (!given.floors.empty()) request.floors = given.floors;
  if (!given.findings.empty()) request.findings = given.findings;
  request.out = given.out.empty() ? fs::path("out") / out : fs::path(given.out);
  request.filter = given.filter;
  request.device = given.device;
  request.seed = given.seed;
  request.data = given.data;
  request.inject_delay = given.inject_delay;
  request.inject_into = given.inject_into;
  request.resume = given.resume;
  request.counters = !given.no_counters;
  return request;
}

/// The policy, and which suite it is.
void read_inputs(const gate_arguments& given, gate::gate_request& request) {
  std::error_code error;
  if (!fs::is_regular_file(request.suite, error))
    throw bad_input(given.suite, "", "there is no such file; expected a suite");
  request.suite_hash = hash_of_file(request.suite);
  const fs::path policy = given.policy.empty() ? shipped_gate_file("default.json") : fs::path(given.policy);
  request.policy = gate::read_policy(policy);
  request.policy_hash = hash_of_file(policy);
  request.budget_seconds =
      given.budget_seconds > 0 ? given.budget_seconds : request.policy.time_budget_seconds;
}

/// The cases that the change affects, from a file or by asking both programs.
void find_changes(const gate_arguments& given, gate::gate_request& request) {
  if (!given.affected.empty()) {
    request.changed = gate::read_affected(given.affected);
    if (request.changed->suite_hash != request.suite_hash)
      throw bad_input(given.affected, "/suite_hash",
                      fmt::format("expected a list for {}, found one for another suite", given.suite));
    return;
  }
  if (!given.changed) return;
  std::string none;
  const std::vector<gpu_summary> gpus = find_gpus(none);
  const chip* const here = gpus.empty() ? nullptr : chip_of_product(gpus.front().name);
  request.changed = affected_cases(
      {given.baseline, given.candidate, given.suite, here ? here->name : "h100", given.filter, given.data});
}

std::vector<gate::accepted_change> accepted_of(const gate_arguments& given, const gate::gate_policy& policy) {
  std::vector<std::string> quantities = {"time", "presence"};
  for (const auto& rule : policy.counters) quantities.push_back(rule.counter);
  const auto file = accepted_file(given.accepted);
  return file ? gate::read_accepted_of_cases(*file, quantities) : std::vector<gate::accepted_change>();
}

/// The command that repeats the judgment, without the filter and the directory of the launches.
std::string command_of(const gate_arguments& given) {
  std::string text = fmt::format("{} gate", this_build().program);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + option + reports::shell_word(value);
  };
  add("--baseline ", given.baseline);
  add("--candidate ", given.candidate);
  add("", given.suite);
  add("--policy ", given.policy);
  add("--floors ", given.floors);
  add("--accepted ", given.accepted);
  add("--device ", given.device);
  add("--devices ", given.devices);
  add("--seed ", given.seed);
  for (const std::string& directory : given.data) add("--data ", directory);
  add("--inject-delay ", given.inject_delay);
  add("--inject-into ", given.inject_into);
  if (given.no_counters) text += " --no-counters";
  add("--affected ", given.affected);
  if (given.changed) text += " --changed";
  if (given.strict) text += " --strict";
  return text;
}

/// Results of an earlier gate must not pass for this one's, and what cannot be written is told before hours
/// are spent.
void empty_results(const gate_arguments& given) {
  for (const std::string& path : {given.json, given.junit, given.markdown})
    if (!path.empty()) reports::write_text_file(path, "");
}

/// The devices that `--devices` names, each for a gate of its own.
std::vector<gate::gate_device> gate_devices(const gate_arguments& given) {
  for (const std::string& side : {given.baseline, given.candidate})
    if (fs::is_directory(side))
      throw bad_input("--devices", "",
                      fmt::format("expected programs to launch, found a folder of launches, '{}'", side));
  std::string why_none;
  const std::vector<gpu_summary> gpus = find_gpus(why_none);
  const chosen_devices chosen = devices_of(given.devices, gpus, why_none);
  if (chosen.gpus.empty() && given.devices == "all")
    throw gate::no_gpu(fmt::format("there is no GPU: {}; --device host judges host references", why_none));
  std::vector<gate::gate_device> out;
  for (const int index : chosen.gpus)
    for (const gpu_summary& gpu : gpus)
      if (gpu.index == index) out.push_back({fmt::format("gpu-{}", index), std::to_string(index), gpu.uuid});
  for (long i = 1; i <= chosen.host_workers; ++i) out.push_back({fmt::format("host-{}", i), "host", ""});
  return out;
}

/// Returns the exit code.
int write_results(const gate_arguments& given, const gate::gate_outcome& outcome,
                  const gate::gate_request& request) {
  const gate::gate_command command{command_of(given), given.strict};
  if (!given.json.empty())
    reports::write_text_file(given.json, reports::json_text(gate_json(outcome, request, command), 1) + "\n");
  const gate::gate_report report = report_of(outcome, request, command);
  if (!given.junit.empty()) reports::write_text_file(given.junit, report_junit(report));
  if (!given.markdown.empty())
    reports::write_markdown_file(given.markdown, gate_markdown(outcome, request, command));
  // What was refused is one line, and the caller's; a gate that did not begin has no more to say either.
  if (outcome.why_nothing && !outcome.baseline)
    fmt::print(stderr, "ablate: {}\n", *outcome.why_nothing);
  else if (!outcome.refusal)
    fmt::print("{}", gate_text(outcome, request, command, given.all, reports::standard_output()));
  if (given.annotations) fmt::print("{}", report_annotations(report));
  return report.exit_code;
}

/// The same of several devices.
int write_results(const gate_arguments& given, const std::vector<gate::device_gate>& gates) {
  if (!given.json.empty())
    reports::write_text_file(
        given.json, reports::json_text(devices_json(gates, {command_of(given), given.strict}), 1) + "\n");
  const gate::gate_report report = report_of(gates);
  if (!given.junit.empty()) reports::write_text_file(given.junit, report_junit(report));
  if (!given.markdown.empty()) reports::write_markdown_file(given.markdown, devices_markdown(gates));
  fmt::print("{}", devices_text(gates, given.all, reports::standard_output()));
  if (given.annotations) fmt::print("{}", report_annotations(report));
  return report.exit_code;
}

std::vector<gate::device_gate> run_on_each(const gate_arguments& given, const gate::gate_request& request,
                                           const std::vector<gate::gate_device>& devices) {
  std::vector<gate::gate_command> commands;
  for (const gate::gate_device& on : devices) {
    gate_arguments here = given;
    here.devices.clear();
    here.device = on.option;
    commands.push_back({command_of(here), given.strict});
  }
  return gate::run_on_devices(request, devices, commands);
}

int run_the_gate(const gate_arguments& given) {
  empty_results(given);
  gate::gate_request request = request_of(given, "gate");
  gate::gate_outcome outcome;
  try {
    read_inputs(given, request);
    request.accepted = accepted_of(given, request.policy);
    find_changes(given, request);
    if (!given.devices.empty()) {
      const std::vector<gate::gate_device> devices = gate_devices(given);
      if (devices.size() > 1) return write_results(given, run_on_each(given, request, devices));
      request.device = devices.front().option;
    }
    outcome = gate::run_gate(request);
  } catch (const gate::no_gpu& none) {
    outcome.why_nothing = none.what();
  } catch (const bad_input& refusal) {
    write_results(given, gate::refused_gate(refusal.what()), request);
    throw;
  }
  return write_results(given, outcome, request);
}

/// From records alone, without a launch.
int calibrate_across(const gate_arguments& given) {
  constexpr std::size_t max_rows = 40;
  if (!given.builds.empty())
    throw bad_input("--across", "",
                    fmt::format("expected only records, found '{}' as well", given.builds.front()));
  const fs::path file = given.floors;
  gate::expect_writable(file);
  std::vector<record> records;
  for (const fs::path& path : files_of_records(given.across)) records.push_back(read_checked_record(path));
  const fleet::across found = fleet::across_of(records);
  reports::write_text_file(file, reports::json_text(fleet::to_json(found), 1) + "\n");
  if (!given.plots.empty()) write_plot_files(fleet::across_plots(found, max_rows), given.plots);
  fmt::print("{}{}\n", fleet::across_text(found, reports::standard_output()), file.string());
  return 0;
}

int run_the_calibration(gate_arguments given) {
  if (!given.across.empty()) return calibrate_across(given);
  if (given.builds.size() < 3)
    throw bad_input("calibrate", "", "expected two builds or more and a suite, or --across RECORD...");
  given.suite = given.builds.back();
  given.baseline = given.builds[0];
  given.candidate = given.builds[1];
  if (!given.plots.empty()) throw bad_input("--plots", "", "expected with --across, whose floors they show");
  gate::calibration_request request{request_of(given, "calibrate"),
                                    {given.builds.begin() + 2, given.builds.end() - 1},
                                    0,
                                    0,
                                    readings_of_counters};
  read_inputs(given, request.gate);
  const auto& rules = request.gate.policy.calibration;
  request.runs = given.runs > 0 ? static_cast<std::size_t>(given.runs) : rules.runs;
  request.pairs = given.pairs > 0 ? static_cast<std::size_t>(given.pairs) : rules.pairs;
  const fs::path file = given.floors;
  gate::expect_writable(file);
  const gate::calibration_outcome outcome = gate::calibrate(request);
  reports::write_text_file(file, reports::json_text(to_json(outcome.floors), 1) + "\n");
  fmt::print("{}{}\n", calibration_text(outcome, request.gate.policy), file.string());
  return 0;
}

/// What ends a gate or a calibration before its end.
template <class Work>
int ended(Work&& work) {
  try {
    return work();
  } catch (const gate::interrupted& why) {
    fmt::print(stderr, "ablate: {}; continue with --resume\n", why.what());
    return was_interrupted;
  } catch (const gate::no_gpu& none) {
    fmt::print(stderr, "ablate: {}\n", none.what());
    return unfit_environment;
  } catch (const gate::tool_failure& why) {
    fmt::print(stderr, "ablate: {}\n", why.what());
    return tool_failed;
  }
}

}  // namespace

void add_gate_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "gate", "Run a candidate against a baseline in alternating launches, and fail on a regression");
  const auto given = std::make_shared<gate_arguments>();
  command->add_option("suite", given->suite, "The cases: a suite that both builds can run")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--baseline", given->baseline,
                   "The baseline's program, or a folder with the records of its launches")
      ->required()
      ->type_name("BIN|DIR");
  command->add_option("--candidate", given->candidate, "The same for the candidate")
      ->required()
      ->type_name("BIN|DIR");
  add_common_options(*command, *given);
  command->add_flag("--changed", given->changed,
                    "Time only the cases that the change can affect, and a few others as controls; if there "
                    "are none, pass at once, without a GPU");
  command
      ->add_option("--affected", given->affected,
                   "The same by a list from `ablate static diff --json`, possibly of another machine")
      ->type_name("FILE")
      ->excludes("--changed");
  command
      ->add_option(
          "--devices", given->devices,
          "Judge on each of these GPUs in turn: 'all', or numbers or UUIDs separated by commas. A case that "
          "fails on one of them fails the gate; no ratio spans two GPUs")
      ->type_name("LIST")
      ->excludes("--device");
  command->add_option("--floors", given->floors, "Noise floors from `ablate dev calibrate` on this device")
      ->type_name("FILE");
  command->add_option("--accepted", given->accepted, "Accepted changes [suites/gates/accepted.json]")
      ->type_name("FILE");
  command
      ->add_option(
          "--out", given->out,
          "Directory for the journal and the records of both programs' launches, from which the gate can be "
          "judged again [out/gate]")
      ->type_name("DIR");
  command
      ->add_option(
          "--findings", given->findings,
          "The findings of all gates on this machine; this run's are appended. If all recent ones have one "
          "sign, the environment is suspect")
      ->type_name("FILE");
  command->add_option("--json", given->json, "Write everything as JSON")->type_name("FILE");
  command->add_option("--junit", given->junit, "Write JUnit XML")->type_name("FILE");
  command->add_option("--markdown", given->markdown, "Write a summary as Markdown")->type_name("FILE");
  command->add_flag("--annotations", given->annotations, "Print GitHub's workflow commands too");
  command->add_flag("--all", given->all, "Print every case and finding, also SAME ones");
  command->add_flag(
      "--strict", given->strict,
      "Exit with 4 also when any case is INCONCLUSIVE or UNMEASURED, or outputs or counters were "
      "not compared: for CI");
  command
      ->add_option("--inject-delay", given->inject_delay,
                   "Slow the candidate down by so many percent, to test the gate; test builds only")
      ->type_name("PCT")
      ->check(CLI::Range(0.0, 1000.0));
  command->add_option("--inject-into", given->inject_into, "As for `run`")->type_name("AXIS=VALUE...|RE");
  group_options(*command, "Devices and inputs", {"--devices", "--seed", "--data", "--no-counters"});
  group_options(*command, "Policy", {"--policy", "--accepted"});
  group_options(*command, "Files for CI", {"--junit", "--annotations", "--findings", "--affected"});
  group_options(*command, "Tests of the gate itself", {"--inject-delay", "--inject-into"});
  command->footer(
      "Exit codes: 0 nothing is SLOWER, and enough was judged; 1 a case is SLOWER, or a counter WORSE; 2 "
      "usage or bad input; 3 a result of the candidate is wrong; 4 the environment is suspect, there is no "
      "GPU, a case that looked slower was not settled, a case of the baseline is GONE or DIFFERENT, fewer "
      "cases were judged than the policy requires, or something is INCONCLUSIVE or missing under --strict; "
      "75 a case, a program or the gate itself failed; 130 interrupted. See docs/ci.md.");
  command->callback([given, &called] { called.exit_code = ended([&] { return run_the_gate(*given); }); });
}

void add_calibrate_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "calibrate", "Measure a gate's noise floors: how much separately linked builds of one source differ");
  const auto given = std::make_shared<gate_arguments>();
  command
      ->add_option("builds", given->builds,
                   "Two or more builds of one source, linked in different orders (the policy says four), or "
                   "folders with records of their launches; then the suite")
      ->type_name("BIN|DIR... SUITE");
  command
      ->add_option("--across", given->across,
                   "Instead: records of one build from several GPUs, merged or not. How much two GPUs of a "
                   "kind differ in a case is its specimen floor, for `compare --specimen-floors`; needs no "
                   "GPU")
      ->type_name("RECORD...");
  command
      ->add_option("--plots", given->plots,
                   "With --across: write a heat map of specimens by case for each "
                   "operation into this directory")
      ->type_name("DIR");
  add_common_options(*command, *given);
  command->add_option("--out", given->floors, "File for the noise floors")->required()->type_name("FILE");
  command
      ->add_option("--launches", given->out,
                   "Directory for the journal and the records of launches [out/calibrate]")
      ->type_name("DIR");
  command->add_option("--runs", given->runs, "A/A runs [the policy's number]")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  command->add_option("--pairs", given->pairs, "Pairs of launches in a run [the policy's number]")
      ->type_name("N")
      ->check(CLI::Range(1, 128));
  group_options(*command, "Devices and inputs", {"--device", "--seed", "--data", "--no-counters"});
  command->footer(
      "The floor of a case is the difference between two builds of one source that is exceeded only once in "
      "as many gates as the policy says. Exit code 4 without a GPU. Floors are valid for the device that "
      "they were measured on. With --budget and --resume a calibration can be split: each part writes the "
      "floors of all runs so far.");
  command->callback(
      [given, &called] { called.exit_code = ended([&] { return run_the_calibration(*given); }); });
}

}  // namespace ablate
