#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/backbone/backbone.h"
#include "kernels/backbone/reference.h"

namespace ablate::backbone {

/// A case's inputs on the host, and what the oracle made of the last index that it saw.
struct known_inputs {
  std::vector<std::uint16_t> coordinates, x, out_gradient;
  std::vector<std::int32_t> cells;
  std::vector<float> positions;
  std::vector<std::uint32_t> ends;
  std::vector<std::int16_t> probe_steps;
  packed_weights weights;

  struct pass {
    std::vector<std::byte> index;
    pass_values exact, rounded;
    double rounding_error = 0;  ///< by how much bf16 moves the output: ‖rounded − exact‖ / ‖exact‖
  };
  mutable std::unique_ptr<pass> last;

  /// The problem on these inputs, with outputs to be read or written.
  problem on_host(problem, std::span<void* const> outputs) const;
  /// The whole pass by the oracle.
  const pass& passed(const problem& host) const;
};

/// Floating-point operations up to which a pass is computed by the oracle too, end to end.
constexpr double most_reference_flops = 3e9;

/// By how much of its norm the output may be another when sums by atomics have another order: a pass in bf16
/// is off by two to four hundredths, and its roundings depend on each other.
constexpr double accepted_change = 0.05;

/// Whether the oracle computes a whole pass.
bool has_reference(const problem&);

/// The index; each step, compared with plain arithmetic on its own inputs; the same bits when the steps are
/// launched once more, or nearly so where sums are by atomics; and, where the oracle computes it, the output
/// end to end: at most twice as far off as rounding to bf16 moves it (backbone §3). In training the gradients
/// too (gradient_check.h).
check_result check(const problem& host, const known_inputs&);

/// Facts (backbone.h), and errors.
nlohmann::ordered_json quality(const problem& host, const known_inputs&);

/// Fills what read_back finds where there is no error, as for the library's steps.
void write_no_errors(const problem& host);

}  // namespace ablate::backbone
