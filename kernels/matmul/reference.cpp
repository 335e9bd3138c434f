#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "kernels/matmul/matmul.h"

namespace ablate::matmul {
namespace {

constexpr std::size_t vectors = 4;
using sums = std::array<double, vectors>;

/// One row of a matrix times all vectors, [columns][vectors].
template <class Element>
sums times_vectors(const Element* row, std::int64_t columns, const double* x) {
  sums total{};
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::size_t v = 0; v < vectors; ++v)
      total[v] += static_cast<double>(row[j]) * x[static_cast<std::size_t>(j) * vectors + v];
  return total;
}

std::vector<double> rows_times_vectors(const float* rows, std::int64_t count, std::int64_t columns,
                                       const double* x) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(count) * vectors);
  for (std::int64_t i = 0; i < count; ++i) {
    const sums of_row = times_vectors(rows + i * columns, columns, x);
    out.insert(out.end(), of_row.begin(), of_row.end());
  }
  return out;
}

/// Bits of a multiplicative hash: the same vectors each time.
std::vector<double> random_signs(std::int64_t count) {
  std::vector<double> signs;
  signs.reserve(static_cast<std::size_t>(count) * vectors);
  for (std::int64_t j = 0; j < count; ++j) {
    std::uint64_t x = (static_cast<std::uint64_t>(j) + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x ^= x >> 27;
    for (std::size_t v = 0; v < vectors; ++v) signs.push_back((x >> (20 + v) & 1) != 0 ? 1 : -1);
  }
  return signs;
}

}  // namespace

double element_rms(const problem& p) { return std::sqrt(static_cast<double>(p.k)) / 3; }

double tolerance(const problem& p) { return 1e-5 * std::sqrt(static_cast<double>(p.k)) * element_rms(p); }

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

projections::projections(const problem& p) : problem_(p), signs_(random_signs(p.n)) {
  const std::vector<double> of_b = rows_times_vectors(p.b, p.k, p.n, signs_.data());
  expected_ = rows_times_vectors(p.a, p.m, p.k, of_b.data());
}

projections::verdict projections::check(const float* c) const {
  verdict found;
  const double accepted = tolerance(problem_);
  double greatest = 0;
  for (std::int64_t i = 0; i < problem_.m; ++i) {
    const sums of_row = times_vectors(c + i * problem_.n, problem_.n, signs_.data());
    for (std::size_t v = 0; v < vectors; ++v) {
      const double deviation = std::abs(of_row[v] - expected_[static_cast<std::size_t>(i) * vectors + v]);
      // NaN counts as the greatest, and then stays it.
      if (!(deviation <= greatest)) greatest = deviation;
      if (!(deviation <= accepted) && !found.violation) found.violation = first_difference(c, i);
    }
  }
  found.max_error = greatest / element_rms(problem_);
  return found;
}

std::string projections::first_difference(const float* c, std::int64_t row) const {
  const std::vector<double> exact = exact_row(problem_, row);
  const float* const found = c + row * problem_.n;
  const double accepted = tolerance(problem_);
  for (std::size_t j = 0; j < exact.size(); ++j)
    if (!(std::abs(static_cast<double>(found[j]) - exact[j]) <= accepted))
      return "row " + std::to_string(row) + ", column " + std::to_string(j) + ": expected " +
             std::to_string(exact[j]) + " ± " + std::to_string(accepted) + ", found " +
             std::to_string(found[j]);
  return "row " + std::to_string(row) + ": sums with random signs are off by more than " +
         std::to_string(accepted) + ", each element by less";
}

double relative_error(const problem& p, const float* c) {
  double squared_error = 0, squared = 0;
  for (const std::int64_t i : std::set<std::int64_t>{0, p.m / 2, p.m - 1}) {
    const std::vector<double> exact = exact_row(p, i);
    for (std::size_t j = 0; j < exact.size(); ++j) {
      const double error = static_cast<double>(c[i * p.n + static_cast<std::int64_t>(j)]) - exact[j];
      squared_error += error * error;
      squared += exact[j] * exact[j];
    }
  }
  return std::sqrt(squared_error / squared);
}

}  // namespace ablate::matmul
