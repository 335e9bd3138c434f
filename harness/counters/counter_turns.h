#pragma once

#include <chrono>
#include <filesystem>

namespace ablate {

/// The turns that processes of a host take at its counters. Where their hardware has one owner for the whole
/// system, a process finds them busy while another one, with another GPU, counts. From then on it counts only
/// while it holds a lock that all such processes of the host share, so that each gets its turn.
class counter_turns {
 public:
  /// The lock of this host.
  counter_turns();
  /// Another file and another limit of waiting, for tests.
  counter_turns(std::filesystem::path lock, std::chrono::milliseconds limit);
  counter_turns(const counter_turns&) = delete;
  counter_turns& operator=(const counter_turns&) = delete;
  ~counter_turns();

  /// Called before a case's counters are read: waits for the lock if the counters have been busy before.
  void begin();
  /// Called when they are busy: takes the lock, and waits a moment. False when it has waited for its limit
  /// since `begin`: someone holds them who takes no turns.
  bool wait();
  /// Called once they are released: the next process may count.
  void end();

  /// Whether the counters have been busy before.
  bool are_needed() const { return needed_; }

 private:
  void take_lock();
  bool is_over() const;

  std::filesystem::path path_;
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point begun_;
  bool needed_ = false, held_ = false;
  int file_ = -1;
};

}  // namespace ablate
