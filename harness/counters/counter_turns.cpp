#include "harness/counters/counter_turns.h"

#include <sys/file.h>

#include <thread>
#include <utility>

#include "harness/device/whole_file.h"

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
    : lock_(lock), wish_(lock += ".wanted"), limit_(limit), begun_(std::chrono::steady_clock::now()) {}

counter_turns::~counter_turns() = default;

void counter_turns::begin() {
  begun_ = std::chrono::steady_clock::now();
  if (needed_) take_lock();
}

bool counter_turns::wait() {
  needed_ = true;
  wish_.share();
  take_lock();
  std::this_thread::sleep_for(between_tries);
  return !is_over();
}

void counter_turns::end() {
  if (std::exchange(held_, false)) lock_.unlock();
}

bool counter_turns::are_needed() {
  needed_ = needed_ || wish_.is_shared();
  return needed_;
}

/// Without the lock, where its file cannot be had, a process only waits.
void counter_turns::take_lock() {
  while (!held_ && lock_.is_there() && !is_over()) {
    held_ = lock_.lock();
    if (!held_) std::this_thread::sleep_for(between_tries);
  }
}

bool counter_turns::is_over() const { return std::chrono::steady_clock::now() - begun_ > limit_; }

counter_turns::shared_file::~shared_file() {
  if (file_ >= 0) ::close(file_);
}

bool counter_turns::shared_file::is_there() {
  // Another user's file in a shared folder can be opened, but not if it might have to be made.
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) file_ = ::open(path_.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0666);
  return file_ >= 0;
}

bool counter_turns::shared_file::lock() { return is_there() && flock(file_, LOCK_EX | LOCK_NB) == 0; }

void counter_turns::shared_file::unlock() { flock(file_, LOCK_UN); }

/// A lock of the open file, not of the process: it ends with the descriptor, in tests too.
void counter_turns::shared_file::share() {
  if (!is_there()) return;
  struct flock whole = whole_file(F_RDLCK);
  fcntl(file_, F_OFD_SETLK, &whole);
}

bool counter_turns::shared_file::is_shared() {
  if (!is_there()) return false;
  struct flock whole = whole_file(F_WRLCK);
  return fcntl(file_, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

}  // namespace ablate
