#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/gated_attention/checked_compression_attention.h"
#include "oracles/gated_attention/checked_problem.h"
#include "oracles/gated_attention/findings.h"
#include "oracles/gated_attention/reference.h"
#include "variants/gated_attention/buffers.h"
#include "variants/row_errors.h"

// What the checks of all methods share: how rows are held against plain arithmetic and the oracle. `seen` is
// the problem with its outputs.

namespace ablate::gated_attention {

using window_attention::accepted_lse_error;
using window_attention::accepted_row_error;
using window_attention::deviation;
using window_attention::fault_in_each_row;

/// The list of sampled block `i`.
std::vector<std::int32_t> sampled_list(const checked_problem& seen, std::size_t i);

/// All compared rows of attention among rows, against plain attention on the device.
std::optional<check_result> fault_in_rows(const std::string& what, const window_attention::deviations& found,
                                          const compression_attention::checked_problem& part);
/// The deviation with its worst place among all rows: those compared are numbered one after the other where
/// there are fewer.
deviation placed(deviation found, std::int64_t stride, std::int64_t rows_of_head, std::int64_t first_row);

double lse_error(double exact, const float* seen);

/// Sampled token `i`, against the oracle.
std::optional<check_result> fault_of_token(const sampled_row& at, const exact_token& exact,
                                           const checked_problem& seen, std::size_t i);

/// The error of its output.
double sampled_error(const exact_token& exact, const checked_problem& seen, std::size_t i);

/// The mean share of a token's attention to all tokens that falls on those it attends to; `dense`: of the
/// sampled tokens.
double kept_mass(const std::vector<exact_token>& dense, const checked_problem& seen);

/// How far the sampled tokens' outputs are from others: the length of the difference beside that of the
/// others' row, on the mean.
double mean_distance(const std::vector<exact_token>& from, const checked_problem& seen);

/// Errors of all compared rows, and the greatest of the sampled ones.
nlohmann::ordered_json error_figures(const window_attention::deviations& of, double sampled_error);

/// Of what the sampled tokens hold.
std::string input_hash(const checked_problem&, const std::vector<sampled_row>& samples);

void store(const row_values& row, float* to, std::size_t i);

}  // namespace ablate::gated_attention
