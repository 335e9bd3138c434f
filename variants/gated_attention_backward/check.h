#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/gated_attention_backward/checked_problem.h"
#include "oracles/gated_attention_backward/reference.h"
#include "variants/gated_attention/check.h"

namespace ablate::gated_attention_backward {

/// What the oracle knows of one head's gradients, beside what it knows of the forward pass.
struct known_gradients {
  std::shared_ptr<const gated_attention::known_layer> forward;
  std::vector<sampled_row> samples;  ///< checks::samples
  std::vector<graded_row> queries;   ///< dq̄ of the sampled tokens' blocks
  /// The same for dk̄ and dv̄ of the sampled keys' block, one row each; only with problem::knows_keys.
  key_gradients keys;
};

/// What the layer should leave of a token, by lists that are given.
struct expected_token {
  graded_row query;
  std::array<double, 2> gates;
  /// A gate's gradient is a product of dO with a row that is off by what the forward pass may be off by.
  std::array<double, 2> accepted_of_gates;
  row compressed;
};
expected_token expect_token(const checked_problem&, const known_gradients&, std::size_t i,
                            const std::vector<std::int32_t>& list);

/// dK and dV of the sampled tokens' block [block], by the lists of the whole head [blocks][selected]; of none
/// where so many lists name it that the oracle would take long.
key_gradients expect_keys(const checked_problem&, const known_gradients&, const std::int32_t* lists);

/// The lists of a head by the oracle.
std::vector<std::int32_t> lists_of_head(const checked_problem&, const known_gradients&);

/// `seen` is the problem with its outputs. The gradients: the parts against plain arithmetic on the device,
/// each from what the one before it left; then the sampled rows against the oracle, which begins at the
/// inputs and takes the lists that the layer chose. Whether these are right, the forward pass's own check
/// says.
check_result check(const checked_problem&, const known_gradients&, const checked_problem& seen);

nlohmann::ordered_json quality(const checked_problem&, const known_gradients&, const checked_problem& seen);

}  // namespace ablate::gated_attention_backward
