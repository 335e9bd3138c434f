#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/runner/finish.h"
#include "reports/record/record_file.h"
#include "reports/record/upgrade.h"
#include "reports/record/writer.h"
#include "reports/text/bad_input.h"

namespace ablate {
namespace {

namespace fs = std::filesystem;

struct record_arguments {
  std::vector<std::string> sources;
  std::string out;
};

/// A run's directory stands for its journal, and where that is gone for its record.
fs::path file_of(const fs::path& source) {
  if (!fs::is_directory(source)) return source;
  const fs::path journal = source / "journal.jsonl";
  return fs::exists(journal) ? journal : reports::file_of_record(source / "record.json");
}

void make_record(const fs::path& source, const std::string& wanted) {
  fs::path out = wanted;
  if (fs::is_directory(out)) out /= "record.json";
  if (source.extension() == ".jsonl") {
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

}  // namespace

void add_record_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "record", "Make a record from a run's journal, or upgrade an older record. Needs no GPU");
  const auto given = std::make_shared<record_arguments>();
  command
      ->add_option(
          "sources", given->sources,
          "Journals (journal.jsonl) or records (record.json) that `ablate run` wrote, or directories "
          "of its --out: their journal, or their record where there is no journal")
      ->required()
      ->type_name("JOURNAL|RECORD|DIR...");
  command
      ->add_option(
          "--out", given->out,
          "File for the record of a single source, or a directory for its record.json [record.json beside a "
          "journal; a record itself]")
      ->type_name("FILE|DIR");
  command->footer(
      "A run that was killed, or whose GPU died, leaves a journal of the cases that ended; the others are "
      "`interrupted` in the record made from it. Upgrading a record of version 1 gives plain JSON of version 2: only its form and "
      "the order of its samples change. "
      "`run --resume` continues a journal instead.");
  command->callback([given] {
    if (!given->out.empty() && given->sources.size() > 1)
      throw bad_input("--out", "", fmt::format("expected one source, found {}", given->sources.size()));
    for (const std::string& source : given->sources) make_record(file_of(source), given->out);
  });
}

}  // namespace ablate
