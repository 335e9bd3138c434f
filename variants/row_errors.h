#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/registry/operation.h"
#include "kernels/window_attention/window_attention.h"
#include "oracles/window_attention/deviation.h"
#include "oracles/window_attention/generated_inputs.h"
#include "variants/bias_figures.h"

// How the attention checks judge the rows that are off (deviation), and those that they read themselves.

namespace ablate::window_attention {

/// The typical error of a tensor's rows: the root mean square.
inline double typical_error(const deviation& found) {
  const auto finite = static_cast<double>(found.rows - found.rows_not_finite);
  return finite > 0 ? std::sqrt(found.squared_errors / finite) : 0;
}

/// What a kernel's roundings may leave of O or a gradient in the mean: where Q and K are zeros, the rows of a
/// window are alike.
inline double systematic_error(const problem& p, const generated_inputs& inputs) {
  const double distinct = static_cast<double>(p.batches * p.windows() * p.heads) * p.width;
  return accepted_bias_of_bf16 + (inputs.score_spread == 0 ? bias_of_alike(distinct) : 0);
}

/// What is wrong with the rows of a tensor if `rows` of them should have been compared; or nothing.
inline std::optional<std::string> fault_of_rows(std::string_view tensor, const deviation& found,
                                                std::int64_t rows, double accepted) {
  if (found.rows != static_cast<unsigned long long>(rows))
    return fmt::format("{}: {} of {} rows were compared", tensor, found.rows, rows);
  const deviation::place& worst = found.worst;
  if (worst.error <= accepted) return std::nullopt;
  const std::string where =
      fmt::format("batch {}, row {}, head {}: element {} is {:.6g}, expected {:.6g}", worst.batch, worst.row,
                  worst.head, worst.element, worst.seen, worst.expected);
  if (found.rows_not_finite > 0)
    return fmt::format(
        "{}: {} of {} rows have NaN or an infinity where plain attention has none, or none "
        "where it has; {}",
        tensor, found.rows_not_finite, rows, where);
  return fmt::format("{}: {} of {} rows are off by more than {:.1e}, at most by {:.1e}: {}", tensor,
                     found.rows_over, rows, accepted, worst.error, where);
}

/// Of the rows, and of all in the mean, where `systematic` may be left.
inline std::optional<std::string> fault_of(std::string_view tensor, const deviation& found, std::int64_t rows,
                                           double accepted, double systematic = accepted_bias_of_bf16) {
  if (auto fault = fault_of_rows(tensor, found, rows, accepted)) return fault;
  return bias_fault(tensor, tensor_bias(found.signs, systematic));
}

/// Of the rows alone, as a check's result: for layers of several parts, whose rows may be alike. Each part is
/// an operation of its own, which judges the mean as well.
inline std::optional<check_result> fault_in_each_row(std::string_view tensor, const deviation& found,
                                                     std::int64_t rows, double accepted) {
  if (const auto fault = fault_of_rows(tensor, found, rows, accepted))
    return check_result{false, *fault, found.worst.error, accepted};
  return std::nullopt;
}

/// Of the rows, and of all in the mean, as a check's result.
inline std::optional<check_result> fault_in(std::string_view tensor, const deviation& found,
                                            std::int64_t rows, double accepted,
                                            double systematic = accepted_bias_of_bf16) {
  if (auto fault = fault_in_each_row(tensor, found, rows, accepted)) return fault;
  return bias_result(tensor, tensor_bias(found.signs, systematic));
}

/// Of attention's results: O and the log-sum-exp.
inline std::optional<check_result> fault_in(const deviations& found, std::int64_t rows,
                                            double systematic = accepted_bias_of_bf16) {
  if (auto fault = fault_in("O", found.out, rows, accepted_row_error, systematic)) return fault;
  return fault_in("log-sum-exp", found.lse, rows, accepted_lse_error, systematic);
}

/// What a check finds in a tensor without errors.
inline deviation no_deviation(std::int64_t rows) {
  deviation none{};
  none.rows = static_cast<unsigned long long>(rows);
  return none;
}

/// Adds a check's figures for a tensor: `out_error_typical` … `out_bias` …
inline void add_errors(nlohmann::ordered_json& quality, const std::string& tensor, const deviation& found,
                       double accepted, double systematic = accepted_bias_of_bf16) {
  quality[tensor + "_error_typical"] = typical_error(found);
  quality[tensor + "_error_worst"] = found.worst.error;
  quality[tensor + "_error_accepted"] = accepted;
  add_bias(quality, tensor, tensor_bias(found.signs, systematic));
}

/// Whether both are finite, or both NaN, or the same infinity.
inline bool are_alike(double seen, double exact) {
  if (std::isfinite(exact)) return std::isfinite(seen);
  return std::isnan(exact) ? std::isnan(seen) : seen == exact;
}

/// As in deviation, except for one row, against fp64; infinite if an element is not of the same kind.
inline double error_of(std::span<const double> exact, const float* seen, double scale) {
  double squared = 0;
  for (std::size_t d = 0; d < exact.size(); ++d) {
    if (!are_alike(seen[d], exact[d])) return std::numeric_limits<double>::infinity();
    if (std::isfinite(exact[d])) squared += (seen[d] - exact[d]) * (seen[d] - exact[d]);
  }
  return squared == 0 ? 0 : std::sqrt(squared) / scale;
}

/// For a row that the check read itself.
inline check_result sampled_fault(std::string_view tensor, const sampled_row& at, double error,
                                  double accepted) {
  return {false,
          fmt::format("{}, batch {}, row {}, head {}: off by {:.1e} against fp64, expected at most {:.1e}",
                      tensor, at.batch, at.row, at.head, error, accepted),
          error, accepted};
}

/// Of a row of attention's results that the check read itself.
struct result_errors {
  double out, lse;
};

/// `Exact`: of out, scale, lse; `out` and `lse`: what was seen of this row.
template <class Exact>
result_errors errors_of(const Exact& exact, int width, const float* out, const float* lse) {
  return {error_of(std::span(exact.out).first(static_cast<std::size_t>(width)), out, exact.scale),
          error_of({&exact.lse, 1}, lse, 1)};
}

inline std::optional<check_result> fault_of(const sampled_row& at, const result_errors& errors) {
  if (!(errors.out <= accepted_row_error)) return sampled_fault("O", at, errors.out, accepted_row_error);
  if (!(errors.lse <= accepted_lse_error))
    return sampled_fault("log-sum-exp", at, errors.lse, accepted_lse_error);
  return std::nullopt;
}

}  // namespace ablate::window_attention
