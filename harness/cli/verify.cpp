#include "reports/verify/verify.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/record/record_file.h"
#include "base/record/redact.h"
#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "harness/cli/data_sheets.h"
#include "harness/cli/known_plans.h"
#include "harness/cli/record_files.h"
#include "harness/device/chip.h"

namespace ablate {

namespace {

constexpr int found_something = 1;

struct verify_arguments {
  std::vector<std::string> records, beside;
  std::string json, out;
  bool redact = false;
};

std::vector<verify::checked_record> read_all(const std::vector<std::string>& paths) {
  std::vector<verify::checked_record> out;
  for (const std::filesystem::path& path : files_of_records(paths)) out.push_back(verify::read(path));
  return out;
}

/// The record for others, now that nothing contradicts it.
void write_for_others(const verify_arguments& given) {
  nlohmann::ordered_json record = reports::parse_record_as_written(files_of_records(given.records).front());
  if (given.redact) record = redacted(std::move(record));
  std::filesystem::path out = given.out;
  if (std::filesystem::is_directory(out)) out /= "record.json";
  write_formed_record(out, record);
  fmt::print("{}\n", out.string());
}

/// Returns the exit code.
int verify_records(const verify_arguments& given) {
  if (!given.out.empty() && given.records.size() > 1)
    throw bad_input("--out", "", fmt::format("expected one record, found {}", given.records.size()));
  const std::vector<verify::checked_record> records = read_all(given.records);
  const verify::verification found = verify::verify(records, read_all(given.beside), all_that_is_known());
  if (!given.json.empty())
    reports::write_text_file(given.json, reports::json_text(verify::verification_json(found), 1) + "\n");
  fmt::print("{}", verify::verification_text(found, records.size()));
  if (found.contradictions() > 0) return found_something;
  if (!given.out.empty()) write_for_others(given);
  return 0;
}

}  // namespace

std::optional<verify::data_sheet> data_sheet_of(const std::string& product) {
  const chip* known = chip_of_product(product);
  if (!known) return std::nullopt;
  return verify::data_sheet{
      known->dram_bytes_per_s,
      static_cast<double>(known->l2_bytes),
      known->tensor_bf16_flops_per_s,
      known->fma_f32_flops_per_s,
      static_cast<double>(known->multiprocessors),
      static_cast<double>(known->memory_bytes),
      known->name,
      known->silicon,
      known->architecture,
      fmt::format("{}.{}", known->compute_capability / 10, known->compute_capability % 10)};
}

verify::held_against all_that_is_known() {
  return {data_sheet_of, known_plan_of,
          std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())};
}

void add_verify_command(CLI::App& program, invocation& called) {
  CLI::App* command =
      program.add_subcommand("verify",
                             "Check that records can be what their devices measured; redact one to share. "
                             "Needs no GPU");
  const auto given = std::make_shared<verify_arguments>();
  command
      ->add_option("records", given->records,
                   "Records to check: files written by `ablate run`, or directories with a record.json")
      ->required()
      ->type_name("RECORD...");
  command
      ->add_option("--beside", given->beside,
                   "Further records to compare with, which are not checked themselves")
      ->type_name("RECORD...");
  command->add_option("--json", given->json, "Write the findings as JSON")->type_name("FILE");
  CLI::Option* const out =
      command
          ->add_option(
              "--out", given->out,
              "Write the record, a single one, to share: to this file or to a directory's record.json; "
              "nothing if the check fails")
          ->type_name("FILE|DIR");
  command
      ->add_flag(
          "--redact", given->redact,
          "With --out, call hosts host-1 and so on, GPUs GPU-1, and keep only the last names of absolute "
          "paths; everything else stays")
      ->needs(out);
  command->footer(
      "Checks the schema; everything that follows from other fields: ids, statistics, floors, ceilings, "
      "ratios, sums; what cases of a workload or a variant must share; bounds of counters; dates; the "
      "device; and that no case of the plan is missing. Times are compared with the least that a data sheet, "
      "the counted DRAM bytes and an empty launch allow; ceilings and counts with other records. A mark is "
      "not a contradiction: it says that counters describe another regime than the timed launches, or that a "
      "floor is too long. docs/record.md lists all checks, and what they cannot find. A signature would say "
      "who sent a record; only a second measurement shows that it is true. Exit codes: 0 no contradiction; 1 "
      "a contradiction; 2 a file is not a record.");
  command->callback([given, &called] { called.exit_code = verify_records(*given); });
}

}  // namespace ablate
