#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/data_sheets.h"
#include "harness/cli/record_files.h"
#include "reports/record/record_file.h"
#include "reports/record/redact.h"
#include "reports/record/writer.h"
#include "reports/text/bad_input.h"
#include "reports/verify/verify.h"

namespace ablate {

namespace {

constexpr int does_not_hold = 1;

struct publish_arguments {
  std::string record, out;
  std::vector<std::string> beside;
  bool redact = false;
};

/// Returns the exit code.
int publish(const publish_arguments& given) {
  const std::filesystem::path path = files_of_records({given.record}).front();
  std::vector<verify::checked_record> beside;
  for (const std::filesystem::path& other : files_of_records(given.beside))
    beside.push_back(verify::read(other));
  const verify::verification found = verify::verify({verify::read(path)}, beside, all_that_is_known());
  fmt::print("{}", verify::verification_text(found, 1));
  if (found.contradictions() > 0) return does_not_hold;
  nlohmann::ordered_json record = reports::parse_record_as_written(path);
  if (given.redact) record = redacted(std::move(record));
  std::filesystem::path out = given.out;
  if (std::filesystem::is_directory(out)) out /= "record.json";
  write_formed_record(out, record);
  fmt::print("{}\n", out.string());
  return 0;
}

}  // namespace

void add_publish_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "publish",
      "Write a record that others may have, if `verify` finds no contradiction in it. Needs no GPU");
  const auto given = std::make_shared<publish_arguments>();
  command
      ->add_option("record", given->record,
                   "A file written by `ablate run` or `merge`, or a directory that holds a record.json")
      ->required()
      ->type_name("RECORD");
  command->add_option("--out", given->out, "File for the record, or a directory for its record.json")
      ->required()
      ->type_name("FILE|DIR");
  command->add_flag(
      "--redact", given->redact,
      "Call hosts host-1 and so on, GPUs GPU-1, and leave only the last names of absolute paths; "
      "times, counts and all else stay");
  command->add_option("--beside", given->beside, "As for `verify`")->type_name("RECORD...");
  command->footer(
      "What is published is self-reported: whoever signs the file says who sent it, and a second "
      "measurement that it is true. Exit codes: 0 written; 1 something does not hold, and "
      "nothing is written; 2 no record.");
  command->callback([given, &called] { called.exit_code = publish(*given); });
}

}  // namespace ablate
