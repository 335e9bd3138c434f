#include "reports/claims/claims.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/markdown_text.h"
#include "base/text/text_file.h"
#include "harness/cli/claim_files.h"
#include "harness/cli/claim_names.h"
#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "reports/ablation/limits.h"
#include "reports/claims/claims_chips.h"
#include "reports/claims/claims_ledger.h"
#include "reports/claims/claims_limits.h"
#include "reports/claims/claims_words.h"
#include "reports/gate/noise_floors.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;

struct claims_arguments {
  names records, claims, floors;
  std::string out, by_chip;
  bool json = false, all = false;
};

/// A ledger of all chips. Its cells link to each chip's ledger, if that is in the chip's folder beside it.
void write_by_chip(const std::filesystem::path& file, const std::vector<claim_ledger>& ledgers,
                   const claim_limits& limits) {
  const auto link = [&](std::size_t device, const claim& c) {
    const std::filesystem::path folder = ledgers[device].records.front()->chip;
    const bool is_there = std::filesystem::exists(file.parent_path() / folder / figures_file(c));
    return is_there ? (folder / figures_link(c, 0)).generic_string() : "";
  };
  reports::write_markdown_file(file,
                               fmt::format("# Claims by chip\n\n{}\n\n{}", how_intervals_are_made(limits),
                                           chips_markdown(ledgers, link)));
}

claim_limits limits_of_arguments(const claims_arguments& given) {
  std::vector<gate::noise_floors> floors;
  for (const auto& file : given.floors) floors.push_back(gate::read_floors(file));
  return limits_of_claims(reports::shipped_policy(), std::move(floors));
}

void judge_claims(const claims_arguments& given) {
  const claim_limits limits = limits_of_arguments(given);
  std::vector<claim_evidence> records;
  for (const auto& [record, further] : launches_of_collections(given.records))
    records.push_back(read_claim_evidence(record, further));
  std::vector<std::filesystem::path> files(given.claims.begin(), given.claims.end());
  if (files.empty()) files = published_claims();
  if (files.empty())
    throw bad_input("suites/claims", "", "expected files of claims; name yours with --claims");
  const std::vector<claim> claims = read_all_claims(files);
  check_names(claims, records);

  const std::vector<claim_ledger> ledgers = ledgers_of(claims, records, limits);
  const std::string json = reports::json_text(ledger_json(ledgers, limits), 1) + "\n";
  if (!given.out.empty()) {
    std::filesystem::create_directories(given.out);
    const std::filesystem::path folder = given.out;
    reports::write_markdown_file(folder / "claims.md", ledger_markdown(ledgers, limits));
    reports::write_text_file(folder / "claims.json", json);
    for (const claim_figures_page& page : figures_markdown(ledgers)) {
      std::filesystem::create_directories((folder / page.file).parent_path());
      reports::write_markdown_file(folder / page.file, page.text);
    }
  }
  if (!given.by_chip.empty()) write_by_chip(given.by_chip, ledgers, limits);
  fmt::print("{}", given.json ? json : ledger_text(ledgers, limits, given.all));
}

}  // namespace

void add_claims_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand("claims", "Judge published claims by records. Needs no GPU");
  const auto given = std::make_shared<claims_arguments>();
  command
      ->add_option("records", given->records,
                   "Records written by `ablate run`, directories with a record.json, or directories of those "
                   "(results/h200)")
      ->required()
      ->type_name("RECORD...");
  command->add_option("--claims", given->claims, "Files of claims (docs/claims.md) [all of suites/claims]")
      ->type_name("FILE...");
  command->add_option("--out", given->out, "Directory for claims.md, claims.json and claims/*.md")
      ->type_name("DIR");
  command
      ->add_option("--floors", given->floors,
                   "A/A noise floors from `ablate dev calibrate`: smaller effects do not count on that "
                   "machine")
      ->type_name("FILE...");
  command->add_option("--by-chip", given->by_chip, "Markdown file with a verdict of each claim for each chip")
      ->type_name("FILE");
  command->add_flag("--json", given->json, "Print the contents of claims.json instead of the table");
  command->add_flag("--all", given->all,
                    "Also list the claims that these records cannot judge, with the reason");
  command->footer(
      "A refuted claim is a result: the exit code is 0. A claim without its counters or variants in the "
      "records is not measured: those are counted, and --all lists them with what is missing. Each device "
      "has its own ledger, which judges each claim by one record; record-*.json beside it are further "
      "launches of it.");
  command->callback([given] { judge_claims(*given); });
}

}  // namespace ablate
