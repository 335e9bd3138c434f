#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "oracles/selection_attention_backward/checked_problem.h"

namespace ablate::selection_attention_backward {

/// A gradient's row by the oracle, and what it may be off by. The roundings of dS or P are in proportion to
/// the row, or to its terms where they cancel: max(‖row‖, noise), as in `deviations`. What is lost in dP − Δ
/// is not, because Δ is of an O that went through bf16: the forward pass rounds its weights, each by up to
/// 2^-8, and then O. Where one key has nearly all of a query's weight, dP − Δ is what two nearly equal
/// numbers leave, and the error of Δ is all of it. Of one query it is at most
///   e = 2^-8 · (|Σ dO_d·O_d| + |Σ P_j·dP_j|), and passes to dS as P·e,
/// where |Σ …| is what independent roundings of these terms add up to (sum_of_roundings). It moves dQ along
/// c·e·Σ P·k alone; dK is a sum over many queries, off by c·√Σ (P·e·‖q‖)² at most; dV not at all.
struct graded_row {
  std::array<double, width> of{};
  /// What errors are divided by: max(‖row‖, noise) + ‖moved‖, since what is moved is rounded as well,
  /// + lost / accepted_row_error, with the error of dK and what fp32 loses in dP and Δ themselves.
  double scale = 0;
  std::array<double, width> moved{};  ///< by up to this, or its opposite, the row may be off
};
/// Relative to the scale, beside what the row may be moved by; infinite if an element is not finite.
double error_of(const graded_row&, const float* seen);

/// What roundings of some terms add up to at most, in units of one of them: all of them together or, since
/// their signs are independent, three times the Euclidean norm of the terms, whichever is less. A rounding is
/// spread evenly over both signs, so that three norms are more than five standard deviations.
class sum_of_roundings {
 public:
  void add(double term);
  double most() const;

 private:
  double sum_ = 0, squares_ = 0;
};

/// The oracle, in fp64, of one head.
using row = std::array<double, width>;
struct head_values {
  std::int64_t tokens = 0;
  int block = 16, selected = 0;
  std::function<row(window_attention::tensor, std::int64_t token)> values;
  std::function<std::int32_t(std::int64_t query_block, int slot)> entry;
  std::function<double(std::int64_t token, int which)> gate = {};  ///< γ_c and γ_s; empty: not gated
  std::function<row(std::int64_t block)> compressed = {};

  std::int64_t blocks() const { return tokens / block; }
};
/// The head as it is made.
head_values generated_head(const checked_problem&, std::int64_t head);

/// dQ of a token.
graded_row exact_query_gradient(const head_values&, std::int64_t token);
/// dγ_c and dγ_s of a token, and dC of a block.
std::array<double, 2> exact_gate_gradients(const head_values&, std::int64_t token);
row exact_compressed_gradient(const head_values&, std::int64_t block);
/// dK and dV of the tokens of a block, given the query blocks that name it.
struct key_gradients {
  std::vector<graded_row> k, v;  ///< [block]
};
key_gradients exact_key_gradients(const head_values&, std::int64_t key_block,
                                  std::span<const std::int64_t> query_blocks);
/// Query blocks whose list names the block, ascending.
std::vector<std::int64_t> query_blocks_of(const head_values&, std::int64_t key_block);

}  // namespace ablate::selection_attention_backward
