#include "harness/runner/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/text/terminal.h"

namespace ablate {

namespace {

constexpr std::size_t usual_terminal_width = 80;

std::string minutes(double seconds) {
  const int whole = static_cast<int>(seconds), hours = whole / 3600;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60)
                   : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

double seconds_left(double planned_done, double planned_rest, double elapsed_seconds, std::size_t workers) {
  constexpr double trusted_seconds = 2;
  const auto at_once = static_cast<double>(workers);
  const double pace = (elapsed_seconds * at_once + trusted_seconds) / (planned_done + trusted_seconds);
  return pace * planned_rest / at_once;
}

std::string run_pace::text() const {
  double done = 0;
  for (const worker_progress& worker : workers) done += 1e-6 * static_cast<double>(worker.planned_us);
  const double elapsed = 1e-9 * static_cast<double>(steady_ns() - began_ns);
  return fmt::format(
      "{} elapsed, about {} left", minutes(elapsed),
      minutes(seconds_left(done, std::max(0.0, planned_seconds - done), elapsed, workers.size())));
}

progress_line::progress_line(std::size_t total, const run_pace& pace, std::string device)
    : total_(total),
      pace_(pace),
      device_(std::move(device)),
      is_rewritten_(device_.empty() && isatty(STDERR_FILENO) == 1) {}

progress_line::~progress_line() {
  if (is_rewritten_) fmt::print(stderr, "\r\033[K");
}

void progress_line::begin(std::size_t number, const std::string& case_id) {
  number_ = number;
  if (!is_rewritten_) return;
  // A line that the terminal breaks cannot be rewritten in place.
  const std::size_t width = reports::standard_error().width;
  const std::string line = fmt::format("[{}/{}] {}: {}", number_, total_, pace_.text(), case_id);
  fmt::print(stderr, "\r\033[K{}", reports::cut_to(line, (width > 0 ? width : usual_terminal_width) - 1));
  std::fflush(stderr);
}

void progress_line::end(const case_entry& entry) {
  const std::string head =
      fmt::format("{}[{}/{}] {}{}: ", is_rewritten_ ? "\r\033[K" : "", number_, total_,
                  device_.empty() ? "" : device_ + ": ", entry.visit([](const auto& of) { return of.name; }));
  if (const unmeasured_case* of = entry.unmeasured()) {
    fmt::print(stderr, "{}{}: {}\n", head, of->status, of->reason);
    return;
  }
  const measured_case::timing& time = entry.measured()->time;
  if (!is_rewritten_)
    fmt::print(stderr, "{}{:.2f} us +- {:.2f} % ({})\n", head, time.median_us,
               100 * time.half_width_us() / time.median_us, pace_.text());
}

}  // namespace ablate
