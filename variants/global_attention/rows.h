#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "oracles/compression_attention/checked_problem.h"
#include "oracles/global_attention/checked_layer.h"
#include "oracles/global_attention/reference.h"
#include "variants/row_errors.h"

// What the checks of layers of global attention share: how rows are held against plain arithmetic and the
// oracle. `seen` has the outputs.

namespace ablate::global_attention {

using window_attention::accepted_lse_error;
using window_attention::accepted_row_error;
using window_attention::deviation;
using window_attention::fault_in_each_row;

/// All compared rows of attention among rows, against plain attention on the device.
std::optional<check_result> fault_in_rows(const std::string& what, const window_attention::deviations& found,
                                          const compression_attention::checked_problem& part);
/// The deviation with its worst place among all rows: those compared are numbered one after the other where
/// there are fewer.
deviation placed(deviation found, std::int64_t stride, std::int64_t rows_of_head, std::int64_t first_row);

double lse_error(double exact, const float* seen);

/// Sampled token `i`, against the oracle.
std::optional<check_result> fault_of_token(const sampled_row& at, const exact_token& exact,
                                           const checks& seen, std::size_t i);

/// All sampled tokens.
std::optional<check_result> fault_of_tokens(const std::vector<sampled_row>& samples,
                                            const std::vector<exact_token>& exact, const checks& seen);

/// The error of its output, and the greatest of all.
double sampled_error(const exact_token& exact, const checks& seen, std::size_t i);

double sampled_error(const std::vector<exact_token>& exact, const checks& seen);

/// The mean share of a token's attention to all tokens that falls on those it attends to; `dense`: of the
/// sampled tokens.
double kept_mass(const std::vector<exact_token>& dense, const checks& seen);

/// How far the sampled tokens' outputs are from others: the length of the difference beside that of the
/// others' row, on the mean.
double mean_distance(const std::vector<exact_token>& from, const checks& seen);

/// Errors of all compared rows, and the greatest of the sampled ones.
nlohmann::ordered_json error_figures(const window_attention::deviations& of, double sampled_error);

/// Of what the sampled tokens hold.
std::string input_hash(const checked_layer&, const std::vector<sampled_row>& samples);

void store(const row_values& row, float* to, std::size_t i);

/// What a comparison leaves of a layer without a fault: of attention among rows, and of sampled tokens. On
/// the host only samples are computed; a full comparison needs a GPU.
compression_attention::findings no_fault_in(const compression_attention::checked_problem& part);
void store(const std::vector<exact_token>& exact, const checks& host);

}  // namespace ablate::global_attention
