#include "variants/global_attention/rows.h"

#include <algorithm>
#include <cmath>

#include "oracles/global_attention/generated_inputs.h"

namespace ablate::global_attention {

deviation placed(deviation found, std::int64_t stride, std::int64_t rows_of_head, std::int64_t first_row) {
  const std::int64_t number = (found.worst.head * rows_of_head + found.worst.row) * stride;
  found.worst.row = static_cast<std::int32_t>(first_row + number % rows_of_head);
  found.worst.head = static_cast<std::int32_t>(number / rows_of_head);
  return found;
}

std::optional<check_result> fault_in_rows(const std::string& what, const window_attention::deviations& found,
                                          const compression_attention::checked_problem& part) {
  const auto at = [&](const deviation& of) {
    return placed(of, part.compared_stride(), part.attending_rows(), part.first_query);
  };
  if (auto fault = fault_in_each_row(what, at(found.out), part.compared_rows(), accepted_row_error))
    return fault;
  return fault_in_each_row("log-sum-exp of " + what, at(found.lse), part.compared_rows(), accepted_lse_error);
}

double lse_error(double exact, const float* seen) { return window_attention::error_of({&exact, 1}, seen, 1); }

std::optional<check_result> fault_of_token(const sampled_row& at, const exact_token& exact,
                                           const checks& seen, std::size_t i) {
  return window_attention::fault_of(
      at, window_attention::errors_of(exact, width, seen.sampled_out + i * width, seen.sampled_lse + i));
}

double sampled_error(const exact_token& exact, const checks& seen, std::size_t i) {
  return window_attention::error_of(exact.out, seen.sampled_out + i * width, exact.scale);
}

std::optional<check_result> fault_of_tokens(const std::vector<sampled_row>& samples,
                                            const std::vector<exact_token>& exact, const checks& seen) {
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (auto fault = fault_of_token(samples[i], exact[i], seen, i)) return fault;
  return std::nullopt;
}

double sampled_error(const std::vector<exact_token>& exact, const checks& seen) {
  double greatest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i)
    greatest = std::max(greatest, sampled_error(exact[i], seen, i));
  return greatest;
}

double kept_mass(const std::vector<exact_token>& dense, const checks& seen) {
  double mass = 0;
  for (std::size_t i = 0; i < dense.size(); ++i)
    mass += std::exp(static_cast<double>(seen.sampled_lse[i]) - dense[i].lse);
  return mass / static_cast<double>(dense.size());
}

double mean_distance(const std::vector<exact_token>& from, const checks& seen) {
  double distance = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    double off = 0, length = 0;
    for (std::size_t d = 0; d < width; ++d) {
      const double by = static_cast<double>(seen.sampled_out[i * width + d]) - from[i].out[d];
      off += by * by;
      length += from[i].out[d] * from[i].out[d];
    }
    distance += std::sqrt(off / length);
  }
  return distance / static_cast<double>(from.size());
}

nlohmann::ordered_json error_figures(const window_attention::deviations& of, double sampled_error) {
  nlohmann::ordered_json figures;
  window_attention::add_errors(figures, "out", of.out, accepted_row_error);
  window_attention::add_errors(figures, "lse", of.lse, accepted_lse_error);
  figures["out_error_sampled"] = sampled_error;
  figures["compared_rows"] = of.out.rows;
  return figures;
}

std::string input_hash(const checked_layer& p, const std::vector<sampled_row>& samples) {
  std::vector<std::uint16_t> bits;
  for (const sampled_row& at : samples)
    for (const tensor of : {tensor::q, tensor::k, tensor::v})
      for (int d = 0; d < width; ++d) bits.push_back(generated_bits(p, of, at.head, at.row, d));
  return hash_hex(bits.data(), bits.size() * sizeof bits[0]);
}

void store(const row_values& row, float* to, std::size_t i) {
  std::ranges::transform(row, to + i * width, [](double x) { return static_cast<float>(x); });
}

compression_attention::findings no_fault_in(const compression_attention::checked_problem& part) {
  const auto none = window_attention::no_deviation(part.compared_rows());
  return {{none, none}, static_cast<unsigned long long>(part.compared_rows()), 0, ~0ull};
}

void store(const std::vector<exact_token>& exact, const checks& host) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    store(exact[i].out, host.sampled_out, i);
    host.sampled_lse[i] = static_cast<float>(exact[i].lse);
  }
}

}  // namespace ablate::global_attention
