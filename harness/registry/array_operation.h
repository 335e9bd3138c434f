#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/registry/kernel_array.h"
#include "harness/registry/registry.h"
#include "harness/version.h"
#include "kernels/common/spans.h"

namespace ABLATE_ABI {

/// One way to compute such an operation. `bind` gives a closure that launches it once on these arrays; what
/// either throws ends the case. Empty where there is no CUDA.
struct array_variant {
  variant_facts facts;
  std::function<std::function<void(launcher&)>(const spans&)> bind;
};

/// An operation of arrays by name, wherever its kernels come from: compiled beside it (define_kernel), loaded
/// from a file or brought by a plugin.
struct array_definition {
  std::string name;
  std::string description;
  std::vector<axis> axes;
  /// The arrays at these axes; which of them a kernel reads and writes is the minimum work of every variant.
  std::function<std::vector<kernel_array>(const axis_values&)> arrays;
  /// Floating-point operations that every variant must do; empty function: not said.
  std::function<double(const axis_values&)> flops = {};
  std::string baseline;
  /// The oracle on host memory: reads in(), fills out().
  std::function<void(const spans&)> reference = {};
  /// In its place, the contents of each output at these axes, in the order of `arrays`; empty for others.
  std::function<std::vector<std::vector<std::byte>>(const axis_values&)> answer = {};
  /// Where there is neither, the baseline's outputs are the answer.
  std::vector<array_variant> variants = {};
  /// Why these axis values are not a valid case; empty function = all are.
  std::function<std::optional<std::string>(const axis_values&)> refuses = {};

  bool has_oracle() const { return reference || answer; }
};

/// Registers an operation. Throws std::logic_error if it has a baseline that is none of its variants or,
/// where that is the oracle, does not run everywhere.
bool define_arrays(array_definition);

/// Throws std::logic_error unless the arrays have names of their own and one of them is an output.
void require_arrays(const std::string& operation, const std::vector<kernel_array>&);

}  // namespace ABLATE_ABI
