#include "reports/record/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "reports/record/record.h"
#include "reports/record/record_file.h"
#include "reports/record/writer.h"

namespace ablate {

namespace {

namespace fs = std::filesystem;

struct merge_arguments {
  std::vector<std::string> records, allow;
  std::string out;
  bool partial = false;
};

void run_merge(const merge_arguments& given) {
  std::set<merge_difference> allowed;
  for (const std::string& word : given.allow) allowed.insert(merge_difference_named(word));
  std::vector<merge_input> inputs;
  for (const fs::path& path : files_of_records(given.records)) {
    read_record(path);  // refuses what is no record
    inputs.push_back({path.string(), reports::parse_record_as_written(path)});
  }
  const std::string first = inputs.front().file;
  const nlohmann::ordered_json whole =
      whole_record(merged_record(std::move(inputs), allowed), given.partial, first);
  fs::path out = given.out;
  if (fs::is_directory(out)) out /= "record.json";
  write_formed_record(out, whole);
  fmt::print("{} of {} cases measured, by {} runs: {}\n", whole.at("benchmarks").size(),
             whole.at("benchmarks").size() + whole.at("unmeasured").size(),
             whole.at("context").at("ablate").at("parts").size(), out.string());
}

}  // namespace

void add_merge_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "merge", "Make one record of those of all shards of a suite (`run --shard`). Needs no GPU");
  const auto given = std::make_shared<merge_arguments>();
  command
      ->add_option("records", given->records,
                   "Records of shards, or of `merge` itself: files, or directories that hold a record.json. "
                   "Their order does not matter, nor does one that is named twice")
      ->required()
      ->type_name("RECORD...");
  command->add_option("--out", given->out, "File for the record, or a directory for its record.json")
      ->required()
      ->type_name("FILE|DIR");
  command->add_flag("--partial", given->partial,
                    "Enter the cases of missing shards as interrupted, where they are refused otherwise");
  command
      ->add_option(
          "--allow", given->allow,
          fmt::format("What may differ: {}. device: driver, CUDA, power cap, ECC, MIG; specimen: the "
                      "GPU, among cases that are compared; workload: the inputs of one",
                      fmt::join(merge_difference_names(), ", ")))
      ->type_name("KIND")
      ->allow_extra_args(false);
  command->footer(
      "Refused, with the file and the place, are records of other sources, compilers, suites, seeds, "
      "plans, settings or kinds of device, a case that two of them hold with different contents, and cases "
      "that are compared but were measured on two GPUs. UUID, host and date are free. Of the calibrations, "
      "which every shard runs, the fastest are kept; each case keeps the floors of its own GPU.");
  command->callback([given] { run_merge(*given); });
}

}  // namespace ablate
