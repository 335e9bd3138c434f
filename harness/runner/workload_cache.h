#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <future>
#include <optional>

#include "harness/registry/operation.h"
#include "harness/suite/suite.h"

namespace ablate {

/// Consecutive cases with the same axes share one workload.
class workload_cache {
 public:
  /// Makes the workload of a case that is about to be asked for, on a thread of its own. Both must outlive
  /// that.
  void begin(const suite_case& c, const input_library& inputs) {
    wait();
    begun_ = std::async([this, &c, &inputs] {
      try {
        make(c, inputs);
      } catch (const std::exception&) {  // reported when the workload is requested
      }
    });
  }
  const workload& of(const suite_case& c, const input_library& inputs) {
    wait();
    make(c, inputs);
    return *work_;
  }
  /// Of the workload that was given last, from 1 on: no other of this process has it.
  std::uint64_t number() const { return number_; }

 private:
  void wait() {
    if (begun_.valid()) begun_.get();
  }
  void make(const suite_case& c, const input_library& inputs) {
    if (work_ && operation_ == c.operation && axes_ == c.axes) return;
    work_.reset();  // frees the old one before the new one is made
    work_ = c.operation->prepare(c.axes, inputs);
    number_ = ++made_;
    operation_ = c.operation;
    axes_ = c.axes;
  }

  const operation* operation_ = nullptr;
  axis_values axes_;
  static inline std::atomic<std::uint64_t> made_ = 0;
  std::uint64_t number_ = 0;
  std::optional<workload> work_;
  std::future<void> begun_;  ///< the last member: all others outlive what it waits for
};

}  // namespace ablate
