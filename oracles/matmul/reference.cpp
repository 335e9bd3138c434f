#include "oracles/matmul/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/common/mixed.h"
#include "oracles/common/greatest_error.h"
#include "oracles/common/rounding.h"

namespace ablate::matmul {
namespace {

/// From 1/2 to 3/2 and of either sign: bits of a multiplicative hash.
std::vector<double> random_weights(std::size_t count, std::uint64_t seed) {
  std::vector<double> weights;
  weights.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t x = mixed((seed << 32) + (i + 1) * 0x9e3779b97f4a7c15);
    const double size = 0.5 + static_cast<double>(x >> 11) * 0x1p-53;
    weights.push_back((x & 1) != 0 ? size : -size);
  }
  return weights;
}

double squared(float value) { return static_cast<double>(value) * static_cast<double>(value); }

}  // namespace

double element_rms(const problem& p) { return std::sqrt(static_cast<double>(p.k)) / 3; }

std::vector<double> exact_row(const problem& p, std::int64_t i) {
  std::vector<double> row(static_cast<std::size_t>(p.n));
  for (std::int64_t l = 0; l < p.k; ++l) {
    const double factor = static_cast<double>(p.a[i * p.k + l]);
    const float* of_b = p.b + l * p.n;
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += factor * static_cast<double>(of_b[j]);
  }
  return row;
}

void reference(const problem& p) {
  for (std::int64_t i = 0; i < p.m; ++i) {
    const std::vector<double> row = exact_row(p, i);
    std::transform(row.begin(), row.end(), p.c + i * p.n,
                   [](double value) { return static_cast<float>(value); });
  }
}

known_product::known_product(const problem& p, std::uint64_t seed)
    : problem_(p),
      blocks_(static_cast<std::size_t>((p.n + block_columns - 1) / block_columns)),
      weights_(random_weights(weight_sets * static_cast<std::size_t>(p.n), seed)),
      expected_(static_cast<std::size_t>(p.m) * sums_of_row()),
      norm_of_row_(static_cast<std::size_t>(p.m)),
      norm_of_column_(static_cast<std::size_t>(p.n)),
      accepted_of_block_(sums_of_row()) {
  std::vector<double> of_b(static_cast<std::size_t>(p.k) * sums_of_row());
  for (std::size_t l = 0; l < static_cast<std::size_t>(p.k); ++l) {
    const float* const row = p.b + static_cast<std::int64_t>(l) * p.n;
    add_weighted_sums(row, &of_b[l * sums_of_row()]);
    for (std::size_t j = 0; j < norm_of_column_.size(); ++j) norm_of_column_[j] += squared(row[j]);
  }
  for (double& norm : norm_of_column_) norm = std::sqrt(norm);

  for (std::size_t i = 0; i < norm_of_row_.size(); ++i) {
    double* const sums = &expected_[i * sums_of_row()];
    for (std::size_t l = 0; l < static_cast<std::size_t>(p.k); ++l) {
      const float element = p.a[static_cast<std::int64_t>(i) * p.k + static_cast<std::int64_t>(l)];
      norm_of_row_[i] += squared(element);
      const double factor = static_cast<double>(element);
      const double* const from = &of_b[l * sums_of_row()];
      for (std::size_t s = 0; s < sums_of_row(); ++s) sums[s] += factor * from[s];
    }
    norm_of_row_[i] = std::sqrt(norm_of_row_[i]);
  }

  for (std::size_t s = 0; s < sums_of_row(); ++s) {
    const std::size_t first = s / weight_sets * block_columns;
    const std::size_t end = std::min(first + block_columns, norm_of_column_.size());
    double squares = 0, largest = 0;
    for (std::size_t j = first; j < end; ++j) {
      const double weighted = weights_[j * weight_sets + s % weight_sets] * norm_of_column_[j];
      squares += weighted * weighted;
      largest = std::max(largest, std::abs(weighted));
    }
    accepted_of_block_[s] = fp32_rounding * (4 * std::sqrt(squares) + 12 * largest);
  }
  for (const std::int64_t i : {std::int64_t{0}, p.m / 2, p.m - 1})
    exact_rows_.try_emplace(i, exact_row(p, i));
}

void known_product::add_weighted_sums(const float* row, double* sums) const {
  for (std::size_t j = 0; j < static_cast<std::size_t>(problem_.n); ++j)
    for (std::size_t set = 0; set < weight_sets; ++set)
      sums[j / block_columns * weight_sets + set] +=
          static_cast<double>(row[j]) * weights_[j * weight_sets + set];
}

double known_product::accepted(std::int64_t row, std::int64_t column) const {
  return accepted_rounding(problem_.k) * norm_of_row_[static_cast<std::size_t>(row)] *
         norm_of_column_[static_cast<std::size_t>(column)];
}

known_product::verdict known_product::check(const float* c) const {
  verdict found;
  greatest_error greatest;
  std::vector<double> sums(sums_of_row());
  for (std::int64_t i = 0; i < problem_.m; ++i) {
    const auto row = static_cast<std::size_t>(i);
    std::fill(sums.begin(), sums.end(), 0.0);
    add_weighted_sums(c + i * problem_.n, sums.data());
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const double deviation = std::abs(sums[s] - expected_[row * sums.size() + s]);
      const double most = accepted_of_block_[s] * norm_of_row_[row];
      if (deviation != 0) greatest.add(deviation / most);
      if (!(deviation <= most) && !found.violation) found.violation = first_difference(c, i, s / weight_sets);
    }
  }
  for (const auto& [i, exact] : exact_rows_)
    for (std::int64_t j = 0; j < problem_.n; ++j) {
      const double deviation =
          std::abs(static_cast<double>(c[i * problem_.n + j]) - exact[static_cast<std::size_t>(j)]);
      if (deviation != 0) greatest.add(deviation / accepted(i, j));
      unit_errors element;
      element.add(c[i * problem_.n + j], exact[static_cast<std::size_t>(j)]);
      found.signs.add(element);
      if (!(deviation <= accepted(i, j)) && !found.violation)
        found.violation = first_difference(c, i, static_cast<std::size_t>(j / block_columns));
    }
  found.max_error = greatest.value();
  return found;
}

std::string known_product::first_difference(const float* c, std::int64_t row, std::size_t block) const {
  const std::vector<double> exact = exact_row(problem_, row);
  const float* const found = c + row * problem_.n;
  for (std::int64_t j = 0; j < problem_.n; ++j) {
    const double expected = exact[static_cast<std::size_t>(j)];
    if (!(std::abs(static_cast<double>(found[j]) - expected) <= accepted(row, j)))
      return fmt::format("row {}, column {}: expected {} ± {:.2g}, found {}", row, j, expected,
                         accepted(row, j), found[j]);
  }
  return fmt::format(
      "row {}, columns from {}: expected a weighted sum within {:.2g}, found it beyond, each "
      "element within its own bound",
      row, static_cast<std::int64_t>(block) * block_columns,
      accepted_of_block_[block * weight_sets] * norm_of_row_[static_cast<std::size_t>(row)]);
}

double known_product::relative_error(const float* c) const {
  double squared_error = 0, squares = 0;
  for (const auto& [i, exact] : exact_rows_)
    for (std::size_t j = 0; j < exact.size(); ++j) {
      const double error = static_cast<double>(c[i * problem_.n + static_cast<std::int64_t>(j)]) - exact[j];
      squared_error += error * error;
      squares += exact[j] * exact[j];
    }
  return std::sqrt(squared_error / squares);
}

}  // namespace ablate::matmul
