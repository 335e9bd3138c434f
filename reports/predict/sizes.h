#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/predict/seen.h"

// clang-format off
/// The time of a case at a size that was not measured, from two that were:
///
///     t(n) = a + b · W(n)      ln W is a line in ln n
///
/// W is the least time of the work by the record's ceilings (bytes, FLOPs, atomics or random accesses, without the launch), so
/// that a grows with launches and b with work, be it linear in the size or quadratic. Between two sizes their line is taken, beyond
/// the last that of the two nearest. How far this is from a power law through the same two says how much the two tell.
// clang-format on
namespace ablate::predict {

struct sized_case {
  double size = 0;
  const seen_case* of = nullptr;
};

/// Cases that differ in one axis of integers alone, by size.
struct size_series {
  std::string axis;
  std::vector<sized_case> cases;
};

/// Along each axis of integers with at least `least` sizes. Of a case that a record has twice the first
/// counts.
std::vector<size_series> series_in(const seen_record&, std::size_t least);
std::vector<size_series> series_in(const seen_record&&, std::size_t least) = delete;  // it points into it

/// The size that an axis's value means; nothing for words, and for 0, which is all of a file.
std::optional<double> size_of(const std::string& value);

struct sized_time {
  double us = 0;
  double disagreement = 0;  ///< |ln| of it over the power law
  bool beyond = false;      ///< not between two sizes
  std::pair<const seen_case*, const seen_case*> from = {};
};

/// Sizes further apart, and further from the nearest, are refused.
constexpr double most_step = 16;

/// From two measured sizes, the nearest on both sides or the last two on one. Nothing where there are no two,
/// where they are too far, or where the work has no floor.
std::optional<sized_time> time_at(double size, const std::vector<sized_case>&);

/// The same by a power law through these two, and by the nearest alone: what it is held against.
double power_law_us(double size, const sized_case&, const sized_case&);

}  // namespace ablate::predict
