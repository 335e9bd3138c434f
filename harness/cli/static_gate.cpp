#include "reports/gate/static_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <regex>
#include <stdexcept>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/regular_expression.h"
#include "base/text/text_file.h"
#include "harness/build_facts.h"
#include "harness/cli/commands.h"
#include "harness/cli/gate_files.h"
#include "harness/cli/program_facts.h"
#include "harness/cli/static_diff.h"

namespace ablate {

namespace {

namespace fs = std::filesystem;

struct static_arguments {
  std::string baseline, accepted, candidate, sass = "auto", filter, out;
  std::vector<std::string> sass_of;
  std::string json, junit, markdown;
  double tolerance_percent = 5;
  bool strict = false, annotations = false;
};

/// This program's facts, with SASS as `sass` says: auto, none, or a listing.
gate::static_facts_file facts_of_this_program(const std::string& sass) {
  gate::static_facts_file facts = program_facts();
  if (sass == "none") return facts;
  if (sass != "auto") {
    count_sass(facts, sass);
  } else if (const auto cuobjdump = find_cuobjdump()) {
    count_sass(facts, *cuobjdump, fs::read_symlink("/proc/self/exe"));
  }
  return facts;
}

void keep_matching(gate::static_facts_file& facts, const std::string& filter) {
  const std::regex pattern = regular_expression(filter, "--filter");
  std::erase_if(facts.kernels, [&](const auto& kernel) { return !std::regex_search(kernel.first, pattern); });
}

std::size_t kernels_with_sass(const gate::static_facts_file& facts) {
  return static_cast<std::size_t>(
      std::count_if(facts.kernels.begin(), facts.kernels.end(), [](const auto& kernel) {
        const auto& code = kernel.second.code;
        return std::any_of(code.begin(), code.end(), [](const auto& c) { return c.second.sass.has_value(); });
      }));
}

fs::path static_baseline() { return project_suites("gates") / "static_baseline.json"; }

void check_kernels(const static_arguments& given, int& exit_code) {
  const fs::path baseline_path = given.baseline.empty() ? static_baseline() : fs::path(given.baseline);
  gate::static_facts_file baseline = gate::read_static_facts(baseline_path);
  const auto accepted_path = accepted_file(given.accepted);
  const std::vector<gate::accepted_change> accepted =
      accepted_path ? gate::read_accepted(*accepted_path) : std::vector<gate::accepted_change>();
  gate::static_facts_file candidate =
      given.candidate.empty() ? facts_of_this_program(given.sass) : gate::read_static_facts(given.candidate);
  gate::static_gate_options options;
  options.instruction_tolerance = given.tolerance_percent / 100;
  options.strict = given.strict;
  options.today = gate::day_of_now();
  options.command = fmt::format("{} static check", this_build().program);
  if (!given.baseline.empty()) options.command += " --baseline " + given.baseline;
  if (!given.candidate.empty()) options.command += " --candidate " + given.candidate;
  if (!given.accepted.empty()) options.command += " --accepted " + given.accepted;
  if (!given.filter.empty()) {
    options.notes_unused = false;
    keep_matching(baseline, given.filter);
    keep_matching(candidate, given.filter);
    if (baseline.kernels.empty() && candidate.kernels.empty())
      throw bad_input("--filter", "", "no kernel's name holds a match of '" + given.filter + "'");
  }
  const gate::gate_report report = gate::compare_static_facts(baseline, candidate, accepted, options);
  if (!given.json.empty())
    reports::write_text_file(given.json, reports::json_text(gate::report_json(report), 1) + "\n");
  if (!given.junit.empty()) reports::write_text_file(given.junit, gate::report_junit(report));
  if (!given.markdown.empty()) reports::write_markdown_file(given.markdown, gate::report_markdown(report));
  fmt::print("{}", gate::report_text(report));
  if (given.annotations) fmt::print("{}", gate::report_annotations(report));
  exit_code = report.exit_code;
}

void write(const static_arguments& given) {
  const fs::path path = given.out.empty() ? static_baseline() : fs::path(given.out);
  gate::static_facts_file facts = facts_of_this_program(given.sass);
  const std::size_t counted = kernels_with_sass(facts);
  std::size_t taken = 0;
  for (const std::string& file : given.sass_of) {
    const gate::static_facts_file other = gate::read_static_facts(file);
    if (other.cuda_compiler != facts.cuda_compiler)
      throw bad_input(file, "/cuda_compiler",
                      fmt::format("expected facts of the CUDA compiler {}, found those of {}",
                                  facts.cuda_compiler, other.cuda_compiler));
    taken += gate::take_sass(facts, other);
  }
  reports::write_text_file(path, gate::static_facts_text(facts));
  fmt::print("{}: {} kernels, CUDA compiler {}, SASS of {} counted{}\n", path.string(), facts.kernels.size(),
             facts.cuda_compiler, counted,
             given.sass_of.empty() ? "" : fmt::format(", of {} taken from other facts", taken));
}

void add_sass_option(CLI::App& command, static_arguments& given) {
  command
      .add_option("--sass", given.sass,
                  "Where the instruction counts come from: auto (cuobjdump, where it is installed), none, or "
                  "a file with what `cuobjdump -sass` printed of this program on another machine [auto]")
      ->type_name("auto|none|FILE");
}

void add_check(CLI::App& program, const std::shared_ptr<static_arguments>& given, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "check", "Compare this program's kernels with the baseline; exit code 1 if one got worse");
  command
      ->add_option("--baseline", given->baseline,
                   "Facts that `ablate static write` wrote [suites/gates/static_baseline.json]")
      ->type_name("FILE");
  command->add_option("--candidate", given->candidate, "Such a file of another build [this program itself]")
      ->type_name("FILE");
  command
      ->add_option(
          "--accepted", given->accepted,
          "Changes for the worse that are accepted, each with its reason [suites/gates/accepted.json]")
      ->type_name("FILE");
  add_sass_option(*command, *given);
  command
      ->add_option("--filter", given->filter,
                   "Compare only kernels whose name holds a match of this regular expression (ECMAScript)")
      ->type_name("RE");
  command
      ->add_option(
          "--sass-tolerance", given->tolerance_percent,
          "Percent by which counts of tensor, vector, atomic and exponential instructions may move [5]")
      ->check(CLI::Range(0.0, 100.0))
      ->type_name("PCT");
  command->add_flag(
      "--strict", given->strict,
      "Kernels, machine code and launches that vanished are failures; an architecture or SASS that "
      "the candidate lacks leaves exit code 4 too");
  command->add_option("--json", given->json, "Write everything that was found as JSON")->type_name("FILE");
  command->add_option("--junit", given->junit, "Write it as JUnit XML")->type_name("FILE");
  command->add_option("--markdown", given->markdown, "Write a summary as Markdown")->type_name("FILE");
  command->add_flag("--annotations", given->annotations,
                    "Print GitHub's workflow commands (::error …) after the table");
  command->footer(
      "Registers, spills, stack, shared memory and local-memory instructions must not rise, occupancy must "
      "not fall; tensor, atomic and exponential instructions must not change, vector loads and stores must "
      "not fall beyond the tolerance. Exit code 4, INCONCLUSIVE, where something of the baseline vanished, "
      "another CUDA compiler made it, or no kernel has machine code on both sides.");
  command->callback([given, &called] { check_kernels(*given, called.exit_code); });
}

void add_write(CLI::App& program, const std::shared_ptr<static_arguments>& given) {
  CLI::App* command =
      program.add_subcommand("write", "Write what is known of this program's kernels, as a new baseline");
  command->add_option("--out", given->out, "Where [suites/gates/static_baseline.json]")->type_name("FILE");
  add_sass_option(*command, *given);
  command
      ->add_option(
          "--sass-of", given->sass_of,
          "Facts of another build by the same CUDA compiler, such as the baseline as it was: kernels "
          "whose SASS is not counted here get its counts, as far as their registers, spills, stack "
          "and shared memory are the same; several times, the first that has them counts")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->callback([given] { write(*given); });
}

}  // namespace

void add_static_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "static",
      "The static gate: registers, spills, shared memory, occupancy and instructions of every kernel against "
      "a baseline. Needs no GPU");
  command->require_subcommand(1);
  const auto given = std::make_shared<static_arguments>();
  add_check(*command, given, called);
  add_static_diff(*command, called);
  add_static_launches(*command);
  add_write(*command, given);
}

}  // namespace ablate
