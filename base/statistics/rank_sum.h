#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ablate::gate {

/// The null distribution, without ties, of the Mann-Whitney statistic U for samples of sizes m and n (the
/// number of pairs in which the second is above the first, 0 to m·n): P(U <= u) for u = 0, 1, … m·n. Costs
/// (m·n)² / 4 additions: for small samples.
std::vector<double> rank_sum_cumulative(std::size_t m, std::size_t n);

/// The largest u with P(U <= u) <= level; nothing if even P(U = 0) is above it. Exact up to 20 samples per
/// side; if either side is larger, the normal approximation with continuity correction.
std::optional<std::size_t> rank_sum_critical(std::size_t m, std::size_t n, double level);

/// The two-sided p of the Mann-Whitney test by the normal approximation with tie and continuity corrections,
/// as in Google Benchmark's compare.py and SciPy. Throws std::invalid_argument for an empty sample or a
/// non-finite value. Returns 1 if all values are equal.
double mann_whitney_p(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace ablate::gate
