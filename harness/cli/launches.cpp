#include "harness/cli/launches.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/cli/later_launch.h"
#include "harness/cli/record_files.h"
#include "reports/ablation/limits.h"
#include "reports/question/answer.h"
#include "reports/views/over_launches.h"

namespace ablate {
namespace {

/// The cases on which a verdict of the question is left to decide, by all launches so far.
std::vector<std::string> undecided(const std::filesystem::path& out) {
  std::vector<record> read;
  for (const auto& file : files_of_launches({out.string()})) read.push_back(read_record(file));
  const record& first = read.front();
  if (!first.report.question) return {};
  std::vector<const record*> more;
  for (std::size_t i = 1; i < read.size(); ++i) more.push_back(&read[i]);
  const reports::process_launches launches(first, more, reports::limits_of(reports::shipped_policy()));
  const record shown = reports::over_launches(first, *launches.launches());
  return reports::undecided_cases(reports::answer_of(shown, *first.report.question, launches));
}

void remove_launches_of_earlier_runs(const std::filesystem::path& out) {
  std::filesystem::remove_all(out / "launches");
  for (const auto& file : files_of_launches({out.string()}))
    if (file.stem() != "record") std::filesystem::remove(file);
}

}  // namespace

int run_launches(const suite& from, const run_options& options, const run_one_launch& run,
                 const std::function<void()>& wait) {
  const int code = run(from, options);
  if (from.launches.most == 1 || options.launch.unchecked || options.shard.count > 1) return code;
  // Also after a failed first launch: its record is already a new one.
  if (!options.resume) remove_launches_of_earlier_runs(options.out);
  if (code != 0) return code;
  const suite timed = timed_only(from);
  for (long launch = 2; launch <= from.launches.most; ++launch) {
    const later_launch next(timed, options, launch);
    if (next.has_ended()) continue;
    std::vector<std::string> only;
    if (launch > from.launches.least) {
      if (from.launches.until_decided) only = undecided(options.out);
      if (from.launches.until_decided && only.empty()) break;
    }
    const std::string notice = only.empty() ? fmt::format("launch {} of {}", launch, from.launches.most)
                                            : fmt::format("launch {} of at most {}: {} cases undecided",
                                                          launch, from.launches.most, only.size());
    if (const int failed = next.run(only, notice, run, wait); failed != 0) return failed;
    next.keep_record();
  }
  std::filesystem::remove_all(options.out / "launches");
  return code;
}

}  // namespace ablate
