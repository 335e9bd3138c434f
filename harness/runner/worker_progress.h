#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "harness/runner/case_phases.h"

namespace ablate {

/// What a worker's time goes into. Cases are divided among workers; all else each of them has for itself.
enum class work_phase : std::size_t {
  start_up,  ///< until its device is open
  calibrations,
  neighbors,  ///< what they do to each other
  cases,
  waiting,  ///< for others, or for its end
  finish    ///< until its device is closed
};
inline constexpr std::size_t work_phases = 6;

/// What the supervisor and the other workers see of a worker, in memory that all of them share.
struct worker_progress {
  std::atomic<long> case_index = -1;      ///< of the running case, or the last one; −1 before the first
  std::atomic<long long> started_ns = 0;  ///< start of that case, steady clock; 0 before the first
  std::atomic<long long> ended_ns = 0;    ///< its end; 0 while it runs
  std::atomic<long long> planned_us = 0;  ///< what the cases that it ended were planned to take
  std::atomic<bool> waits = false;        ///< for its turn, within the case
  std::atomic<bool> is_load = false;      ///< keeps its device busy, for what that does to its neighbors
  std::array<std::atomic<long long>, work_phases> spent_ns = {};  ///< by phase, of all its processes
  /// The same of the cases that are no calibrations.
  std::array<std::atomic<long long>, case_phase_count> cases_ns = {};

  void add(const case_phases&);
  case_phases spent_on_cases() const;

  /// Whether any of its processes came as far as its device.
  bool has_worked() const { return spent_ns[static_cast<std::size_t>(work_phase::start_up)] > 0; }
  static_assert(std::atomic<long>::is_always_lock_free && std::atomic<long long>::is_always_lock_free,
                "a lock would not be shared between processes");
};

/// What the workers of a run and its supervisor agree on about neighbors' influence (neighbors.h), in memory
/// that all of them share.
struct neighbor_board {
  /// What the workers that are loads shall do. Once over, it stays so until the supervisor begins again.
  enum class load : int { idle, busy, over };
  std::atomic<load> wanted = load::over;
  std::atomic<std::size_t> loads = 0;    ///< how many workers were told to be one
  std::atomic<bool> is_known = false;    ///< the influence, from this run or the one that it goes on with
  std::atomic<bool> take_turns = false;  ///< only one worker measures at a time
  static_assert(std::atomic<load>::is_always_lock_free, "a lock would not be shared between processes");

  /// False if it is over.
  bool want(load);
};

/// The progress of all workers of a run, mapped into their processes.
class shared_progress {
 public:
  /// Throws std::runtime_error where there is no memory to share.
  explicit shared_progress(std::size_t workers);
  shared_progress(const shared_progress&) = delete;
  shared_progress& operator=(const shared_progress&) = delete;
  ~shared_progress();

  std::span<worker_progress> all() const { return {memory_, workers_}; }
  neighbor_board& neighbors() const { return *board_; }

 private:
  std::size_t bytes() const;

  std::size_t workers_;
  worker_progress* memory_ = nullptr;
  neighbor_board* board_ = nullptr;  ///< behind them
};

/// Nanoseconds of the steady clock, which all processes of a host have in common.
long long steady_ns();

/// Divides the time of a worker's process into phases.
class phase_clock {
 public:
  explicit phase_clock(worker_progress& of) : of_(of) {}
  /// All of the time since the last call, or since the beginning, went into this.
  void spent_on(work_phase);

 private:
  worker_progress& of_;
  long long since_ns_ = steady_ns();
};

/// "start-up 0.9 s, calibrations 4.1 s, neighbors 1.9 s, cases 90.1 s, waiting 0.2 s, finish 0.1 s"
std::string phases_text(const worker_progress&);

/// How many workers but `own` had a case under way at any time since `start_ns`.
int busy_neighbors(std::span<const worker_progress> all, std::size_t own, long long start_ns);

}  // namespace ablate
