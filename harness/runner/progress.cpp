#include "harness/runner/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace ablate {

namespace {

std::string minutes(double seconds) {
  const int whole = static_cast<int>(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

progress_line::progress_line(std::size_t total) : total_(total), terminal_(isatty(STDERR_FILENO) == 1) {}

progress_line::~progress_line() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

std::string progress_line::times() const {
  if (ended_ == 0) return minutes(watch_.seconds());
  const double left = watch_.seconds() / static_cast<double>(ended_) * static_cast<double>(total_ - number_);
  return fmt::format("{} elapsed, about {} left", minutes(watch_.seconds()), minutes(left));
}

void progress_line::begin(std::size_t number, const std::string& case_id) {
  number_ = number;
  if (terminal_) fmt::print(stderr, "\r\033[K[{}/{}] {} ({})", number_, total_, case_id, times());
  std::fflush(stderr);
}

void progress_line::end(const nlohmann::ordered_json& entry) {
  ++ended_;
  const std::string id = entry.at("name").get<std::string>();
  if (!entry.contains("time_us")) {
    fmt::print(stderr, "{}[{}/{}] {}: {}: {}\n", terminal_ ? "\r\033[K" : "", number_, total_, id,
               entry.at("status").get<std::string>(), entry.at("reason").get<std::string>());
    return;
  }
  const auto& time = entry.at("time_us");
  const double median = time.at("median").get<double>();
  const double half_width = (time.at("ci95_high").get<double>() - time.at("ci95_low").get<double>()) / 2;
  if (!terminal_)
    fmt::print(stderr, "[{}/{}] {}: {:.2f} us +- {:.2f} % ({})\n", number_, total_, id, median,
               100 * half_width / median, times());
}

}  // namespace ablate
