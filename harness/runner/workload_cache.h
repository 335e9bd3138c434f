#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "harness/registry/operation.h"
#include "harness/suite/suite.h"

namespace ablate {

/// Consecutive cases with the same axes share one workload.
class workload_cache {
 public:
  const workload& of(const suite_case& c, const input_library& inputs) {
    if (!work_ || operation_ != c.operation || !(axes_ == c.axes)) {
      work_.reset();  // frees the old one before the new one is made
      work_ = c.operation->prepare(c.axes, inputs);
      number_ = ++made_;
      operation_ = c.operation;
      axes_ = c.axes;
    }
    return *work_;
  }
  /// Of the workload that was given last, from 1 on: no other of this process has it.
  std::uint64_t number() const { return number_; }

 private:
  const operation* operation_ = nullptr;
  axis_values axes_;
  static inline std::atomic<std::uint64_t> made_ = 0;
  std::uint64_t number_ = 0;
  std::optional<workload> work_;
};

}  // namespace ablate
