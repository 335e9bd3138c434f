#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/gated_attention/gated_attention.h"
#include "kernels/gated_attention/reference.h"
#include "variants/gated_attention/buffers.h"
#include "variants/row_errors.h"

// What the checks of all methods share: outputs, and how rows are held against plain arithmetic and the
// oracle.

namespace ablate::gated_attention {

using window_attention::accepted_lse_error;
using window_attention::accepted_row_error;
using window_attention::deviation;
using window_attention::fault_in_each_row;

struct read_outputs {
  const findings& found;
  const float *compressed, *compressed_lse;
  const std::int32_t* table;
  const float *out, *lse;

  explicit read_outputs(std::span<const std::byte* const> outputs)
      : found(*reinterpret_cast<const findings*>(outputs[place::found])),
        compressed(reinterpret_cast<const float*>(outputs[place::sampled_compressed])),
        compressed_lse(reinterpret_cast<const float*>(outputs[place::sampled_compressed_lse])),
        table(reinterpret_cast<const std::int32_t*>(outputs[place::sampled_table])),
        out(reinterpret_cast<const float*>(outputs[place::sampled_out])),
        lse(reinterpret_cast<const float*>(outputs[place::sampled_lse])) {}

  std::vector<std::int32_t> list(const problem& p, std::size_t block) const {
    const std::int32_t* const first = table + block * static_cast<std::size_t>(p.selected);
    return {first, first + p.selected};
  }
};

/// All compared rows of attention among rows, against plain attention on the device.
std::optional<check_result> fault_in_rows(const std::string& what, const window_attention::deviations& found,
                                          const compression_attention::problem& part);
/// The deviation with its worst place among all rows: those compared are numbered one after the other where
/// there are fewer.
deviation placed(deviation found, std::int64_t stride, std::int64_t rows_of_head, std::int64_t first_row);

double lse_error(double exact, const float* seen);

/// Sampled token `i`, against the oracle.
std::optional<check_result> fault_of_token(const sampled_row& at, const exact_token& exact,
                                           const read_outputs& seen, std::size_t i);

/// The error of its output.
double sampled_error(const exact_token& exact, const read_outputs& seen, std::size_t i);

/// The mean share of a token's attention to all tokens that falls on those it attends to; `dense`: of the
/// sampled tokens.
double kept_mass(const std::vector<exact_token>& dense, const read_outputs& seen);

/// How far the sampled tokens' outputs are from others: the length of the difference beside that of the
/// others' row, on the mean.
double mean_distance(const std::vector<exact_token>& from, const read_outputs& seen);

/// Errors of all compared rows, and the greatest of the sampled ones.
nlohmann::ordered_json error_figures(const window_attention::deviations& of, double sampled_error);

/// Of what the sampled tokens hold.
std::string input_hash(const problem&, const std::vector<sampled_row>& samples);

void store(const row_values& row, void* to, std::size_t i);

}  // namespace ablate::gated_attention
