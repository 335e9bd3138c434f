#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ablate {

/// What a worker is told to do with cases, given by their numbers in the run.
struct order {
  enum class what : std::uint64_t {
    run,           ///< measure them, in this order
    probe,         ///< measure what busy neighbors do to them
    probe_at_end,  ///< the same once more, when all else is measured
    load           ///< be such a neighbor, by the first; a second is the one that it will measure next
  };
  what kind = what::run;
  std::vector<std::size_t> cases;
};

/// The worker's end of the line to its supervisor: it requests cases and receives their numbers.
class order_line {
 public:
  explicit order_line(int socket) : socket_(socket) {}

  /// Nothing when the worker shall end. Waits for an answer; a supervisor that is gone gives none, which ends
  /// the worker, too.
  std::optional<order> next() const;

 private:
  int socket_;
};

/// The supervisor's end, and the one that its worker inherits.
class order_channel {
 public:
  /// Throws std::system_error.
  order_channel();
  order_channel(order_channel&&) noexcept;
  order_channel& operator=(order_channel&&) noexcept;
  ~order_channel();

  /// In the worker, after the fork: closes the supervisor's end.
  order_line for_worker();
  /// In the supervisor, after the fork: closes the worker's end.
  void forked();

  /// To poll for POLLIN: the worker asks, or has ended.
  int socket() const { return ours_; }
  /// Receives the worker's request; false if there is none.
  bool is_asked() const;
  /// A worker that is gone is not told anything: how it ended shows elsewhere.
  void send(const order&) const;
  /// That it shall end.
  void send_end() const;

 private:
  void close_both();

  int ours_ = -1, theirs_ = -1;
};

}  // namespace ablate
