#include "harness/cli/search_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/record/facts.h"
#include "reports/views/case_launches.h"

namespace ablate {
namespace {

constexpr int code_of_interruption = 130;

void refuse_interruption(int exit_code) {
  if (exit_code == code_of_interruption)
    throw search_interrupted("interrupted; `--resume` goes on with what is left");
}

search::answer answer_in(const record& from, std::size_t point, const std::string& id, std::size_t launch) {
  search::answer out{point, launch};
  const auto measured = std::ranges::find(from.cases, id, &measured_case::name);
  if (measured != from.cases.end()) {
    const bool is_right = launch > search::first_launch || measured->check.is_made();
    if (!is_right) out.status = "wrong", out.reason = measured->check.before;
    out.gpu =
        measured->specimen.empty() ? reports::fact(from.device, "uuid").value_or("") : measured->specimen;
    out.time = measured->time;
    out.time->samples_us.clear();
    out.quality = measured->quality;
    return out;
  }
  const auto left = std::ranges::find(from.unmeasured, id, &unmeasured_case::name);
  if (left == from.unmeasured.end() || left->status == "interrupted")
    throw std::runtime_error(
        fmt::format("{}: the run ended before {}; `--resume` goes on", from.path.string(), id));
  out.status = left->status;
  out.reason = left->reason;
  return out;
}

}  // namespace

search_launches::search_launches(const suite& from, run_options options, std::vector<std::string> ids,
                                 run_one_launch run, std::function<void()> wait)
    : from_(from),
      timed_(timed_only(from)),
      options_(std::move(options)),
      ids_(std::move(ids)),
      run_(std::move(run)),
      wait_(std::move(wait)) {
  options_.tries_failed_again = false;
  options_.launch.ceilings = {"none"};
}

std::filesystem::path search_launches::record_of(std::size_t launch) const {
  if (launch == search::first_launch) return options_.out / "record.json";
  return later_launch(timed_, options_, static_cast<long>(launch)).record();
}

void search_launches::check(const search::batch& of) const {
  run_options options = options_;
  options.resume = std::filesystem::exists(options.out / "journal.jsonl");
  options.launch.only.clear();
  for (const auto* points : {&of.before, &of.points})
    for (const std::size_t p : *points) options.launch.only.push_back(ids_[p]);
  options.notice =
      fmt::format("checking and timing {} points, {} before", of.points.size(), of.before.size());
  // A record has the second of its last resume, which must not be that of a launch in between.
  if (!of.before.empty()) wait_();
  refuse_interruption(run_(from_, options));
}

void search_launches::time_again(const search::batch& of) const {
  const later_launch next(timed_, options_, static_cast<long>(of.launch));
  if (next.has_ended()) return;  // the search was killed before it could journal that
  std::vector<std::string> only;
  for (const std::size_t p : of.points) only.push_back(ids_[p]);
  refuse_interruption(next.run(
      only, fmt::format("launch {}: {} points against each other", of.launch, only.size()), run_, wait_));
  next.keep_record();
}

std::vector<search::answer> search_launches::operator()(const search::batch& of) const {
  of.launch == search::first_launch ? check(of) : time_again(of);
  const record made = read_record(record_of(of.launch));
  if (of.launch != search::first_launch)
    reports::expect_launch_of(read_record(record_of(search::first_launch)), made);
  std::vector<search::answer> out;
  for (const std::size_t p : of.points) out.push_back(answer_in(made, p, ids_[p], of.launch));
  return out;
}

}  // namespace ablate
