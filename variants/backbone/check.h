#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/backbone/checked_problem.h"
#include "oracles/backbone/reference.h"

namespace ablate::backbone {

/// By how much bf16 moves a pass, in parts of the exact norm: its output, a block's rows' gradient, that of
/// all parameters, and of each layer.
struct rounding_errors {
  double out = 0, x_gradient = 0, gradients = 0;
  std::vector<double> layers;
};

/// How far an output, and in training its gradients, are from the oracle's, in parts of these norms.
struct end_to_end_errors {
  double out = 0, gradients = 0;
};

/// A case's inputs on the host, and what the oracle made of the last index that it saw. Points of a cell, and
/// rows of a bucket's cell, are numbered by atomics: rows are ordered differently in their buckets in each
/// launch, and windows and clusters differ, so that an index hardly ever recurs.
struct known_inputs {
  std::vector<std::uint16_t> coordinates, x, out_gradient;
  std::vector<std::int32_t> cells;
  std::vector<float> positions;
  std::vector<std::uint32_t> ends;
  std::vector<std::int16_t> probe_steps;
  packed_weights weights;

  struct pass {
    std::vector<std::byte> index;
    pass_values exact;
    std::optional<rounding_errors> moved_at_most = std::nullopt;  ///< once it was asked for
  };
  mutable std::unique_ptr<pass> last;
  /// The last right index, and its form: launches mostly leave the same again.
  struct known_index {
    layer_form form;
    std::vector<std::byte> bytes;
  };
  mutable std::optional<known_index> right_index;
  mutable std::optional<rounding_errors> of_bf16;     ///< on the first index: others' are much the same
  mutable std::optional<end_to_end_errors> compared;  ///< of the pass that was last held against the oracle

  /// The problem, with outputs to be read or written, on these inputs.
  checked_problem on_host(checked_problem) const;
  /// The whole pass by the oracle; after it `of_bf16` is there.
  const pass_values& passed(const problem& host) const;
  /// Whether that takes no time.
  bool has_passed(const problem& host) const;
  /// By how much bf16 moves this pass at most, over `roundings_of_a_pass` draws of its roundings on its own
  /// index (oracles/backbone/rounder.h). Kept for the other variants of the case, which a fault of all alike
  /// would have wait for as many passes each.
  const rounding_errors& moved_at_most(const problem& host) const;
};

/// Two passes in bf16 that differ in the order of their sums alone are off by amounts that differ too: of a
/// layer's gradient by a factor of up to 3 either way, since what rounds otherwise in front moves all that
/// follows it, and rows that have another order in their windows more. So one draw of the roundings only says
/// that a pass is right; one that is beyond what it accepts is held against the greatest of so many.
constexpr int roundings_of_a_pass = 8;

/// Floating-point operations up to which a pass is computed by the oracle too, end to end.
constexpr double max_reference_flops = 3e9;

/// By how much of its norm the output may be another when sums by atomics have another order: a pass in bf16
/// is off by two to four hundredths, and its roundings depend on each other.
constexpr double accepted_change = 0.05;

/// Whether the oracle computes a whole pass.
bool has_reference(const problem&);

/// The index; that no tensor is written over while a step still reads it (arena_check.h); each step, compared
/// with plain arithmetic on its own inputs; the same bits when the steps are launched again, or nearly so
/// where sums are by atomics; and, where the oracle computes it, the output end to end: at most twice as far
/// off as rounding to bf16 moves it. In training the gradients too (gradient_check.h), and whether their
/// steps are those of the forward ones (gradient_paths.h).
check_result check(const checked_problem& host, const known_inputs&);
/// Of a later launch: end to end only on an index that the oracle has seen. What is wrong with all steps put
/// together, though each is right, is so in the first launch too; and what a launch did otherwise than its
/// steps do again is seen by that.
check_result check_again(const checked_problem& host, const known_inputs&);

/// Facts (checked_problem.h), and errors.
nlohmann::ordered_json quality(const checked_problem& host, const known_inputs&);

/// Fills what compare_steps finds where there is no error, as for the library's steps.
void write_no_errors(const checked_problem& host);

}  // namespace ablate::backbone
