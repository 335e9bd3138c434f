#include "harness/counters/counter_turns.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <thread>
#include <utility>

namespace ablate {

namespace {

using namespace std::chrono_literals;

constexpr auto between_tries = 20ms;
// Well below what a case may take before it counts as hung.
constexpr auto longest_wait = 10s;

}  // namespace

counter_turns::counter_turns()
    : counter_turns(std::filesystem::temp_directory_path() / "ablate-counters.lock", longest_wait) {}

counter_turns::counter_turns(std::filesystem::path lock, std::chrono::milliseconds limit)
    : path_(std::move(lock)), limit_(limit), begun_(std::chrono::steady_clock::now()) {}

counter_turns::~counter_turns() {
  if (file_ >= 0) ::close(file_);
}

void counter_turns::begin() {
  begun_ = std::chrono::steady_clock::now();
  if (needed_) take_lock();
}

bool counter_turns::wait() {
  needed_ = true;
  take_lock();
  std::this_thread::sleep_for(between_tries);
  return !is_over();
}

void counter_turns::end() {
  if (std::exchange(held_, false)) flock(file_, LOCK_UN);
}

/// Without the lock, where its file cannot be had, a process only waits.
void counter_turns::take_lock() {
  // Another user's file in a shared folder can be opened, but not if it might have to be made.
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) return;
  while (!held_ && !is_over()) {
    held_ = flock(file_, LOCK_EX | LOCK_NB) == 0;
    if (!held_) std::this_thread::sleep_for(between_tries);
  }
}

bool counter_turns::is_over() const { return std::chrono::steady_clock::now() - begun_ > limit_; }

}  // namespace ablate
