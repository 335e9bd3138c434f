#include "harness/cli/launches.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "harness/cli/record_files.h"
#include "reports/ablation/limits.h"
#include "reports/question/answer.h"
#include "reports/views/over_launches.h"

namespace ablate {
namespace {

std::filesystem::path record_of(const std::filesystem::path& out, long launch) {
  return out / fmt::format("record-{:02}.json", launch);
}

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

/// The suite as a later launch times it.
suite timed_only(suite from) {
  from.counters = "none";
  from.energy = false;
  for (suite_block& block : from.blocks) {
    block.counters.reset();
    block.energy.reset();
    block.picture = block.sampled = false;
  }
  return from;
}

run_options options_of(const run_options& first, const std::filesystem::path& folder, long launch,
                       std::uint64_t seed) {
  run_options out = first;
  out.out = folder;
  out.resume = first.resume && std::filesystem::exists(folder);
  out.keeps_finished = out.timeline = false;
  out.counters = "none";
  out.launch.ceilings = {"none"};
  out.launch.unchecked = true;
  out.launch.keeps_samples = false;
  out.launch.order_seed = seed + static_cast<std::uint64_t>(launch);
  out.began_ns = 0;
  out.notice.clear();
  return out;
}

void remove_launches_of_earlier_runs(const std::filesystem::path& out) {
  std::filesystem::remove_all(out / "launches");
  for (const auto& file : files_of_launches({out.string()}))
    if (file.stem() != "record") std::filesystem::remove(file);
}

}  // namespace

void wait_for_another_second() {
  using namespace std::chrono;
  std::this_thread::sleep_until(ceil<seconds>(system_clock::now() + milliseconds(1)));
}

int run_launches(const suite& from, const run_options& options, const run_one_launch& run,
                 const std::function<void()>& wait) {
  const int code = run(from, options);
  if (from.launches.most == 1 || options.launch.unchecked || options.shard.count > 1) return code;
  // Also after a failed first launch: its record is already a new one.
  if (!options.resume) remove_launches_of_earlier_runs(options.out);
  if (code != 0) return code;
  const suite later = timed_only(from);
  for (long launch = 2; launch <= from.launches.most; ++launch) {
    const std::filesystem::path record = record_of(options.out, launch);
    if (std::filesystem::exists(record)) continue;
    std::vector<std::string> only;
    if (launch > from.launches.least) {
      if (from.launches.until_decided) only = undecided(options.out);
      if (from.launches.until_decided && only.empty()) break;
    }
    const std::filesystem::path folder = options.out / "launches" / fmt::format("{:02}", launch);
    run_options next = options_of(options, folder, launch, from.seed);
    next.notice = only.empty() ? fmt::format("launch {} of {}", launch, from.launches.most)
                               : fmt::format("launch {} of at most {}: {} cases undecided", launch,
                                             from.launches.most, only.size());
    next.launch.only = std::move(only);
    wait();
    if (const int failed = run(later, next); failed != 0) return failed;
    std::filesystem::rename(folder / "record.json", record);
    std::filesystem::remove_all(folder);
  }
  std::filesystem::remove_all(options.out / "launches");
  return code;
}

}  // namespace ablate
