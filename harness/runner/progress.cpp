#include "harness/runner/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <numeric>
#include <utility>

#include "reports/text/terminal.h"

namespace ablate {

namespace {

constexpr std::size_t usual_terminal_width = 80;

std::string minutes(double seconds) {
  const int whole = static_cast<int>(seconds), hours = whole / 3600;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60)
                   : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

double seconds_left(const std::vector<double>& planned_seconds, std::size_t ended, double elapsed_seconds) {
  constexpr double trusted_seconds = 2;
  const auto next = planned_seconds.begin() + static_cast<std::ptrdiff_t>(ended);
  const double done = std::accumulate(planned_seconds.begin(), next, 0.0);
  const double pace = (elapsed_seconds + trusted_seconds) / (done + trusted_seconds);
  return pace * std::accumulate(next, planned_seconds.end(), 0.0);
}

progress_line::progress_line(std::size_t total, std::vector<double> planned_seconds)
    : total_(total), planned_seconds_(std::move(planned_seconds)), is_terminal_(isatty(STDERR_FILENO) == 1) {}

progress_line::~progress_line() {
  if (is_terminal_) fmt::print(stderr, "\r\033[K");
}

std::string progress_line::times() const {
  const double elapsed = watch_.seconds();
  return fmt::format("{} elapsed, about {} left", minutes(elapsed),
                     minutes(seconds_left(planned_seconds_, ended_, elapsed)));
}

void progress_line::begin(std::size_t number, const std::string& case_id) {
  number_ = number;
  if (!is_terminal_) return;
  // A line that the terminal breaks cannot be rewritten in place.
  const std::size_t width = reports::standard_error().width;
  const std::string line = fmt::format("[{}/{}] {}: {}", number_, total_, times(), case_id);
  fmt::print(stderr, "\r\033[K{}", reports::cut_to(line, (width > 0 ? width : usual_terminal_width) - 1));
  std::fflush(stderr);
}

void progress_line::end(const nlohmann::ordered_json& entry) {
  ++ended_;
  const std::string id = entry.at("name").get<std::string>();
  if (!entry.contains("time_us")) {
    fmt::print(stderr, "{}[{}/{}] {}: {}: {}\n", is_terminal_ ? "\r\033[K" : "", number_, total_, id,
               entry.at("status").get<std::string>(), entry.at("reason").get<std::string>());
    return;
  }
  const auto& time = entry.at("time_us");
  const double median = time.at("median").get<double>();
  const double half_width = (time.at("ci95_high").get<double>() - time.at("ci95_low").get<double>()) / 2;
  if (!is_terminal_)
    fmt::print(stderr, "[{}/{}] {}: {:.2f} us +- {:.2f} % ({})\n", number_, total_, id, median,
               100 * half_width / median, times());
}

}  // namespace ablate
