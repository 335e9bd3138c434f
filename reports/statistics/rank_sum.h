#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ablate::gate {

/// The Mann-Whitney statistic U of samples of sizes m and n: the pairs in which the second is above the
/// first, 0 to m·n. Its distribution when both come from one population, without ties: P(U <= u) for u = 0,
/// 1, … m·n. Costs (m·n)² / 4 additions: for small samples.
std::vector<double> rank_sum_cumulative(std::size_t m, std::size_t n);

/// The largest u with P(U <= u) <= level; nothing where even P(U = 0) is above it. Exact up to 20 samples a
/// side; beyond, where either side is larger, the normal approximation with continuity correction.
std::optional<std::size_t> rank_sum_critical(std::size_t m, std::size_t n, double level);

/// The two-sided p of the Mann-Whitney test by the normal approximation with correction for ties and
/// continuity, as Google Benchmark's compare.py and SciPy have it. Throws std::invalid_argument for an empty
/// sample or one that is not finite. All values equal: 1.
double mann_whitney_p(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace ablate::gate
