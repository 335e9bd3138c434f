#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/record/identity.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/terminal.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "harness/cli/gate_files.h"
#include "harness/cli/plot_files.h"
#include "harness/cli/record_files.h"
#include "reports/compare/comparison.h"
#include "reports/compare/devices.h"
#include "reports/compare/devices_outputs.h"
#include "reports/compare/outputs.h"
#include "reports/fleet/across.h"
#include "reports/fleet/fleet.h"
#include "reports/fleet/plots.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;

struct compare_arguments {
  names records, baseline, candidate, allow;
  std::string policy, floors, specimen_floors, json, markdown, plots;
  bool across = false, all = false, strict = false;
};

std::vector<record> read_side(const names& paths) {
  std::vector<record> out;
  for (const std::filesystem::path& path : files_of_records(paths)) out.push_back(read_record(path));
  return out;
}

/// The specimen that measured a side, which must be in a kind of the file.
const fleet::kind_across& kind_of_side(const fleet::across& all, const std::vector<record>& side) {
  const record& first = side.front();
  const fleet::kind_across* out = nullptr;
  for (const record& r : side)
    for (const measured_case& c : r.cases) {
      const fleet::kind_across* kind = all.kind_of(c.specimen);
      if (!kind)
        throw bad_input(r.path.string(), "/context/ablate/device/uuid",
                        fmt::format("expected a GPU of {}, found {}", all.path.string(), c.specimen));
      if (out && kind != out)
        throw bad_input(
            r.path.string(), "/benchmarks",
            fmt::format("expected GPUs of one kind, found kinds {} and {}", out->kind, kind->kind));
      out = kind;
    }
  if (!out) throw bad_input(first.path.string(), "/benchmarks", "expected a case, found none");
  return *out;
}

/// Raises each case's floor to what two GPUs of the kind differ by. Refuses GPUs of two kinds.
void raise_floors(const fleet::across& all, const std::vector<record>& baseline,
                  const std::vector<record>& candidate, const gate::gate_policy& policy,
                  std::optional<gate::noise_floors>& floors) {
  const fleet::kind_across &a = kind_of_side(all, baseline), &b = kind_of_side(all, candidate);
  if (&a != &b)
    throw bad_input(
        candidate.front().path.string(), "/context/ablate/device/uuid",
        fmt::format("expected a GPU of kind {} like the baseline's, found one of kind {}: floors of equal "
                    "GPUs do not apply to two kinds",
                    a.kind, b.kind));
  if (!floors) {
    floors.emplace();
    floors->path = all.path;
    floors->fingerprint = history::device_fingerprint(baseline.front());
    floors->device = baseline.front().device;
    floors->suite = baseline.front().suite_name;
    floors->suite_hash = baseline.front().suite_hash;
    floors->policy = policy.name;
    floors->builds = policy.calibration.builds;
    floors->runs = policy.calibration.runs;
    floors->pairs = policy.calibration.pairs;
  }
  for (const auto& [name, c] : a.cases) {
    gate::noise_floors::case_floor& to = floors->cases[name];
    to.baseline_us = c.median_us;
    to.floor_pct = std::max(to.floor_pct, c.specimen_floor_pct);
  }
}

/// Compares two kinds of GPU: which is faster, where, by how much. Options that request verdicts are refused,
/// so that nobody takes this for a passed gate.
int compare_kinds(const compare_arguments& given, const std::vector<record>& first,
                  const std::vector<record>& second) {
  for (const auto& [option, is_given] : {std::pair{"--strict", given.strict},
                                         {"--floors", !given.floors.empty()},
                                         {"--specimen-floors", !given.specimen_floors.empty()},
                                         {"--policy", !given.policy.empty()}})
    if (is_given)
      throw bad_input(
          option, "",
          fmt::format("expected two records of one kind of GPU, found {} and {}; without this option their "
                      "times are compared, and nothing is judged",
                      first.front().device_name, second.front().device_name));
  const compare::device_comparison made = compare::compare_devices(first, second);
  if (!given.json.empty())
    reports::write_text_file(given.json,
                             reports::json_text(compare::devices_json(made, first, second), 1) + "\n");
  if (!given.markdown.empty())
    reports::write_text_file(given.markdown, compare::devices_markdown(made, first, second));
  fmt::print("{}", compare::devices_text(made, first, second, given.all, reports::standard_output()));
  return 0;
}

/// By how much equal GPUs differ, of records of any number of them. Nothing is judged.
int compare_across(const compare_arguments& given) {
  for (const auto& [option, is_given] : {std::pair{"--baseline", !given.baseline.empty()},
                                         {"--candidate", !given.candidate.empty()},
                                         {"--policy", !given.policy.empty()},
                                         {"--floors", !given.floors.empty()},
                                         {"--specimen-floors", !given.specimen_floors.empty()},
                                         {"--allow", !given.allow.empty()},
                                         {"--strict", given.strict}})
    if (is_given) throw bad_input(option, "", "expected no --across, which judges nothing");
  if (given.records.empty()) throw bad_input("--across", "", "expected records");
  std::vector<record> records;
  for (const std::filesystem::path& path : files_of_collections(given.records))
    records.push_back(read_record(path));
  const std::vector<fleet::product> products = fleet::fleet_of(records);
  if (!given.json.empty())
    reports::write_text_file(given.json, reports::json_text(fleet::fleet_json(products), 1) + "\n");
  if (!given.markdown.empty()) reports::write_markdown_file(given.markdown, fleet::fleet_markdown(products));
  if (!given.plots.empty()) write_plot_files(fleet::fleet_plots(products), given.plots);
  fmt::print("{}", fleet::fleet_text(products, reports::standard_output()));
  return 0;
}

int run_comparison(compare_arguments given) {
  if (given.across) return compare_across(given);
  const bool by_name = !given.baseline.empty() || !given.candidate.empty();
  if (!by_name && given.records.size() == 2) {
    given.baseline = {given.records[0]};
    given.candidate = {given.records[1]};
    given.records.clear();
  }
  if (!given.records.empty() || given.baseline.empty() || given.candidate.empty())
    throw bad_input("compare", "",
                    "expected a baseline and a candidate: two records, or --baseline "
                    "RECORD... --candidate RECORD...");
  std::set<compare::agreement> allowed;
  for (const std::string& word : given.allow) allowed.insert(compare::agreement_named(word));
  const gate::gate_policy policy = gate::read_policy(
      given.policy.empty() ? shipped_gate_file("default.json") : std::filesystem::path(given.policy));

  std::vector<record> baseline = read_side(given.baseline), candidate = read_side(given.candidate);
  if (compare::are_two_kinds(baseline.front(), candidate.front()))
    return compare_kinds(given, baseline, candidate);
  std::optional<gate::noise_floors> floors;
  if (!given.floors.empty()) floors = gate::read_floors(given.floors);
  if (!given.specimen_floors.empty()) {
    if (!allowed.contains(compare::agreement::specimen))
      throw bad_input("--specimen-floors", "",
                      "expected --allow specimen as well: this option is for two GPUs of a kind");
    raise_floors(fleet::read_across(given.specimen_floors), baseline, candidate, policy, floors);
  }
  const compare::record_comparison made = compare::compare_records(
      std::move(baseline), std::move(candidate), policy, allowed, floors ? &*floors : nullptr);
  if (!given.json.empty())
    reports::write_text_file(given.json,
                             reports::json_text(compare::comparison_json(made, given.strict), 1) + "\n");
  if (!given.markdown.empty())
    reports::write_markdown_file(given.markdown, compare::comparison_markdown(made));
  fmt::print("{}", compare::comparison_text(made, given.all, reports::standard_output()));
  return compare::exit_code_of(made, given.strict);
}

}  // namespace

void add_compare_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "compare",
      "Compare records of two builds case by case, of two kinds of GPU, or of equal GPUs. Needs no GPU");
  const auto given = std::make_shared<compare_arguments>();
  command
      ->add_option("records", given->records,
                   "The baseline's record and the candidate's: files written by `ablate run`, or directories "
                   "with a record.json")
      ->type_name("RECORD");
  command
      ->add_option("--baseline", given->baseline, "Several records of the baseline, one per process launch")
      ->type_name("RECORD...");
  command->add_option("--candidate", given->candidate, "The same for the candidate")->type_name("RECORD...");
  CLI::Option* const across = command->add_flag(
      "--across", given->across,
      "Instead: how much equal GPUs differ, by the calibrations in any records of any suites, or in "
      "directories of record folders (results/h200)");
  command
      ->add_option("--plots", given->plots,
                   "With --across: write a heat map of specimens by calibration, and the outliers, into this "
                   "directory: Vega-Lite specifications and, with node, SVG")
      ->type_name("DIR")
      ->needs(across);
  command->add_option("--policy", given->policy, "Policy of the gate [suites/gates/default.json]")
      ->type_name("FILE");
  command
      ->add_option("--floors", given->floors,
                   "Noise floors from `ablate dev calibrate`: a case below its floor is not SLOWER")
      ->type_name("FILE");
  command
      ->add_option(
          "--specimen-floors", given->specimen_floors,
          "With --allow specimen: how much GPUs of a kind differ, from `ablate dev calibrate --across`; "
          "smaller changes do not count. Refuses GPUs of two kinds")
      ->type_name("FILE");
  command
      ->add_option(
          "--allow", given->allow,
          fmt::format("What may differ between the sides: {}", fmt::join(compare::agreement_names(), ", ")))
      ->type_name("KIND")
      ->allow_extra_args(false);
  command->add_option("--json", given->json, "Write the comparison as JSON")->type_name("FILE");
  command->add_option("--markdown", given->markdown, "Write the comparison as Markdown")->type_name("FILE");
  command->add_flag("--all", given->all, "Print every case, also SAME ones");
  command->add_flag("--strict", given->strict,
                    "Exit with 4 also when any case is INCONCLUSIVE or UNMEASURED");
  command->footer(
      "Exit codes: 0 nothing is SLOWER; 1 a case is SLOWER; 2 the records cannot be compared; 3 a result of "
      "the candidate is wrong; 4 the environment is suspect, a case that looks slower is undecided, one is "
      "GONE, too few cases could be judged, or something is INCONCLUSIVE or missing under --strict; 75 a "
      "case of the candidate failed to run. Two records of one launch each cannot resolve small effects: "
      "`ablate gate` can. Records of two kinds of GPU (an H100 and an H200) are compared without verdicts: "
      "which is faster, by operation, workload and binding ceiling, and which variants change places. Then "
      "the exit code is 0, and --strict, --policy, --floors and --specimen-floors are refused. With "
      "--across, GPUs of one product are of two kinds if a calibration separates them by a gap of 2 % or "
      "more and five times the spread on either side, with two or more on each; a specimen is named if a "
      "calibration is farther from its kind's median than 2 % and five median deviations.");
  command->callback([given, &called] { called.exit_code = run_comparison(*given); });
}

}  // namespace ablate
