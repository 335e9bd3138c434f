#pragma once

#include <chrono>
#include <filesystem>
#include <utility>

namespace ablate {

/// The turns that processes of a host take at its counters. Where their hardware has one owner for the whole
/// system, a process finds them busy while another one, with another GPU, counts. From then on it counts only
/// while it holds a lock that all such processes of the host share, and says so, that the others do the same:
/// each gets its turn. Where nobody ever finds them busy, all keep them open, which saves 0.3 s a case.
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
  /// since `begin`: they are held by a process that takes no turns.
  bool wait();
  /// Called once they are released: the next process may count.
  void end();

  /// Whether the counters have been busy before, here or for another process that still runs.
  bool are_needed();

 private:
  /// A file that processes of this host lock; there is none where it cannot be had.
  class shared_file {
   public:
    explicit shared_file(std::filesystem::path path) : path_(std::move(path)) {}
    shared_file(const shared_file&) = delete;
    ~shared_file();
    /// False if another process has it locked, or there is none.
    bool lock();
    void unlock();
    /// Beside others that share it, until this process ends; not to be locked as well.
    void share();
    /// Whether anybody else does. A look holds nothing, so that nobody takes it for a share.
    bool is_shared();
    bool is_there();

   private:
    std::filesystem::path path_;
    int file_ = -1;
  };

  void take_lock();
  bool is_over() const;

  shared_file lock_, wish_;  ///< a process that requests turns has a share of the latter
  std::chrono::milliseconds limit_;
  std::chrono::steady_clock::time_point begun_;
  bool needed_ = false, held_ = false;
};

}  // namespace ablate
