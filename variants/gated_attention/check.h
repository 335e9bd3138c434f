#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/gated_attention/checked_problem.h"
#include "oracles/gated_attention/reference.h"

namespace ablate::gated_attention {

/// Neighboring lists that samples take together, so that what they have in common can be counted.
constexpr std::int64_t neighboring_lists = 16;

/// What the oracle knows of one head.
struct known_layer {
  std::vector<sampled_row> block_samples;  ///< blocks, by groups of neighboring_lists
  std::vector<compression_attention::exact_row> blocks;
  std::vector<sampled_row> samples;                    ///< tokens
  std::vector<std::size_t> block_of_sample;            ///< the place of a token's block in block_samples
  std::vector<exact_token> dense;                      ///< of the tokens
  std::vector<row_values> pooled_keys, pooled_values;  ///< of all blocks
  std::vector<exact_token> out;  ///< of the tokens: the layer's, by the oracle's own lists
};

/// The list of sampled block `i`; `seen` is the problem with its outputs.
std::vector<std::int32_t> sampled_list(const checked_problem& seen, std::size_t i);

/// What the layer should leave of sampled token `i`, given its block's list.
exact_token layer_token(const checked_problem&, const known_layer&, std::size_t i,
                        const std::vector<std::int32_t>& list);

/// How many tokens a token attends to on the mean, as far as these lists tell.
double attended_tokens(const problem&, const std::vector<std::vector<std::int32_t>>& lists);

/// `seen` is the problem with its outputs. The parts against plain arithmetic on the device, each from what
/// the one before it left; then the sampled blocks and tokens against the oracle, which begins at the inputs.
/// Where scores are not exact in fp32, a list may differ from the oracle's in scores that are equal to
/// fp32: there the token is held against what fp64 makes of the layer's list.
check_result check(const checked_problem&, const known_layer&, const checked_problem& seen);

/// Errors, sparsity, the mass of attention that is kept, and how many entries of 8 and 16 neighboring lists
/// name one block.
nlohmann::ordered_json quality(const checked_problem&, const known_layer&, const checked_problem& seen);

}  // namespace ablate::gated_attention
