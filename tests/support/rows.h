#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/inputs/random.h"

namespace ablate::test_support {

/// Of [tables][rows][row_size]: row r of the result is row `from[r]`, in each table.
template <class T>
std::vector<T> rows_from(const std::vector<T>& values, const std::vector<std::int64_t>& from,
                         std::size_t row_size) {
  const std::size_t rows = from.size();
  std::vector<T> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i / row_size % rows;
    result[i] = values[i + (static_cast<std::size_t>(from[row]) - row) * row_size];
  }
  return result;
}

/// 0 … size − 1 in some order.
template <class T>
std::vector<T> permutation(std::size_t size, std::string_view purpose) {
  std::vector<T> result(size);
  std::iota(result.begin(), result.end(), T{0});
  random_stream random(3, purpose);
  for (std::size_t i = size; i > 1; --i)
    std::swap(result[i - 1], result[random.below(static_cast<std::uint32_t>(i))]);
  return result;
}

/// The rows of buckets of neighboring rows, one bucket after the other.
inline std::vector<std::int64_t> rows_of_buckets(const std::vector<std::uint32_t>& buckets,
                                                 std::int64_t rows_per_bucket) {
  std::vector<std::int64_t> rows;
  for (const std::uint32_t bucket : buckets)
    for (std::int64_t t = 0; t < rows_per_bucket; ++t) rows.push_back(bucket * rows_per_bucket + t);
  return rows;
}

}  // namespace ablate::test_support
