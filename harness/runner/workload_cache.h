#pragma once

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
      operation_ = c.operation;
      axes_ = c.axes;
    }
    return *work_;
  }

 private:
  const operation* operation_ = nullptr;
  axis_values axes_;
  std::optional<workload> work_;
};

}  // namespace ablate
