#include "reports/trace/trace.h"

#include <fmt/format.h>

#include <memory>

#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "reports/views/case_launches.h"

namespace ablate {

namespace {

struct trace_arguments {
  std::string record, out;
  std::vector<std::string> words;
};

void write_trace(const trace_arguments& given) {
  std::vector<record> read = {read_checked_record(files_of_records({given.record}).front())};
  for (const auto& path : reports::further_launches_in(given.record)) {
    record launch = read_record(path);
    reports::expect_launch_of(read.front(), launch);
    read.push_back(std::move(launch));
  }
  const std::vector<case_words> cases = all_case_words(read.front());
  const selection asked(given.words, cases, "dev trace");
  std::vector<const record*> launches;
  for (const record& launch : read) launches.push_back(&launch);
  const reports::sample_trace trace = reports::trace_of(launches, asked);
  if (trace.samples == 0) throw bad_input("dev trace", "", asked.why_none(cases));
  reports::write_text_file(given.out, trace.json);
  fmt::print("{}: {} samples of {} cases{}; open it at https://ui.perfetto.dev\n", given.out, trace.samples,
             trace.cases, trace.kernels > 0 ? fmt::format(", {} kernels", trace.kernels) : "");
}

}  // namespace

void add_trace_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "trace", "Write a record's samples and timelines as a trace for Perfetto. Needs no GPU");
  const auto given = std::make_shared<trace_arguments>();
  command
      ->add_option(
          "record", given->record,
          "A record written by `ablate run`, or a directory that holds a record.json and perhaps further launches")
      ->required()
      ->type_name("RECORD");
  command
      ->add_option(
          "cases", given->words,
          "Only these cases: ids, axis=value, or an operation, variant, value or cache state in full")
      ->type_name("CASE...");
  command->add_option("--out", given->out, "The trace, Chrome's trace events as JSON")
      ->required()
      ->type_name("FILE");
  command->footer(
      "A process of the trace is a launch on a device. Each case is a slice, its samples are slices in it in "
      "the order of time, without the pauses between them; where the record has a timeline, its kernels and "
      "its activity follow. Exit code 2 if no case fits.");
  command->callback([given] { write_trace(*given); });
}

}  // namespace ablate
