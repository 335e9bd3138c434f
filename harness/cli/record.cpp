#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "base/record/merge.h"
#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/record/upgrade.h"
#include "base/record/writer.h"
#include "base/text/bad_input.h"
#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "harness/runner/finish.h"

namespace ablate {
namespace {

namespace fs = std::filesystem;

struct record_arguments {
  std::vector<std::string> sources, allow;
  std::string out;
  bool partial = false;
};

bool is_journal(const fs::path& file) { return file.extension() == ".jsonl"; }

/// A run's directory means its journal, or its record if the journal is gone.
fs::path file_of(const fs::path& source) {
  if (!fs::is_directory(source)) return source;
  const fs::path journal = source / "journal.jsonl";
  return fs::exists(journal) ? journal : reports::file_of_record(source / "record.json");
}

/// An output directory means the record in it.
fs::path place_of(const std::string& out) {
  return fs::is_directory(out) ? fs::path(out) / "record.json" : fs::path(out);
}

void make_record(const fs::path& source, const std::string& wanted) {
  fs::path out = place_of(wanted);
  if (is_journal(source)) {
    if (out.empty()) out = source.parent_path() / "record.json";
    const finished_run done = finish_run(read_journal(source), source, out);
    fmt::print("{} of {} cases measured: {}\n", done.measured, done.cases, out.string());
    return;
  }
  if (out.empty() && source.extension() == ".xz")
    throw bad_input("--out", "", fmt::format("expected a file for the plain JSON of {}", source.string()));
  if (out.empty()) out = source;
  rewrite_record(source, out);
  fmt::print("{}: version {}\n", out.string(), reports::record_schema);
}

/// Whether a file is the record of one shard of several.
bool is_of_a_shard(const fs::path& file) {
  if (is_journal(file)) return false;
  const nlohmann::ordered_json record = reports::parse_record_as_written(file);
  const nlohmann::json::json_pointer index("/context/ablate/shard/index");
  return record.is_object() && record.contains(index);
}

/// Whether what is asked for is one record of several, rather than a source in another form.
bool is_merge(const record_arguments& given) {
  if (given.partial || !given.allow.empty() || given.sources.size() > 1) return !given.out.empty();
  return !given.out.empty() && is_of_a_shard(file_of(given.sources.front()));
}

void merge_records(const record_arguments& given) {
  std::set<merge_difference> allowed;
  for (const std::string& word : given.allow) allowed.insert(merge_difference_named(word));
  std::vector<merge_input> inputs;
  for (const fs::path& path : files_of_records(given.sources)) {
    if (is_journal(path))
      throw bad_input(path.string(), "",
                      "expected a record to merge, found a journal; make its record first");
    inputs.push_back(read_merge_input(reports::parse_record_as_written(path), path.string()));
  }
  const std::string first = inputs.front().file;
  const record whole = whole_record(merged_record(std::move(inputs), allowed), given.partial, first);
  const fs::path out = place_of(given.out);
  write_formed_record(out, whole);
  fmt::print("{} of {} cases measured, by {} runs: {}\n", whole.cases.size(),
             whole.cases.size() + whole.unmeasured.size(), whole.parts.size(), out.string());
}

}  // namespace

void add_record_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "record",
      "Make the record of a run's journal, merge records of shards, or upgrade older ones. Needs no GPU");
  const auto given = std::make_shared<record_arguments>();
  command
      ->add_option(
          "sources", given->sources,
          "Journals (journal.jsonl) or records (record.json) from `ablate run`, or its --out directories: "
          "their journal, or their record if there is no journal or several are merged")
      ->required()
      ->type_name("JOURNAL|RECORD|DIR...");
  CLI::Option* const out =
      command
          ->add_option(
              "--out", given->out,
              "File for the resulting record, or a directory for its record.json; several records are "
              "merged, in any order [record.json beside a journal; a record in place]")
          ->type_name("FILE|DIR");
  command
      ->add_flag("--partial", given->partial,
                 "Enter the cases of missing shards as interrupted instead of refusing")
      ->needs(out);
  command
      ->add_option(
          "--allow", given->allow,
          fmt::format("How merged records may differ: {}. device: driver, CUDA, power cap, ECC, MIG; "
                      "specimen: the GPU, among cases that are compared; workload: the inputs of one",
                      fmt::join(merge_difference_names(), ", ")))
      ->type_name("KIND")
      ->allow_extra_args(false)
      ->needs(out);
  command->footer(
      "A run that was killed, or whose GPU died, leaves a journal of the finished cases; the others are "
      "`interrupted` in its record. `run --resume` continues a journal instead. Upgrading a record of "
      "version 1 gives plain JSON of version 2: only its form and the order of its samples change. A merge "
      "refuses, with the file and the place, records of other sources, compilers, suites, seeds, plans, "
      "settings or kinds of device, a case with different contents in two records, and cases that are "
      "compared but were measured on two GPUs. UUID, host and date may differ. The fastest of each "
      "calibration is kept; each case keeps the floors of its own GPU.");
  command->callback([given] {
    if (is_merge(*given)) return merge_records(*given);
    for (const std::string& source : given->sources) make_record(file_of(source), given->out);
  });
}

}  // namespace ablate
