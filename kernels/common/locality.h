#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ablate {

/// RMS distance of points, at least one, to their center; `coordinate(point, axis)` with point from 0 and
/// axis 0, 1, 2. In the coordinates' unit.
template <class Coordinate>
double rms_radius(std::int64_t points, Coordinate coordinate) {
  const auto n = static_cast<double>(points);
  std::array<double, 3> center{};
  for (std::int64_t i = 0; i < points; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) center[axis] += static_cast<double>(coordinate(i, axis)) / n;
  double squares = 0;
  for (std::int64_t i = 0; i < points; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double apart = static_cast<double>(coordinate(i, axis)) - center[axis];
      squares += apart * apart;
    }
  return std::sqrt(squares / n);
}

/// How near to each other points are that an order puts side by side: the mean over the order's slices of
/// the RMS distance of a slice's points to their center (docs/operations/psh_bucket.md). Every operation that
/// orders points, or attends to points in some order, has it from here, so that the figures can be compared.
class slice_locality {
 public:
  /// A slice of so many points, at least one; `coordinate(point, axis)` with point from 0 and axis 0, 1, 2.
  template <class Coordinate>
  void add(std::int64_t points, Coordinate coordinate) {
    distances_ += rms_radius(points, coordinate);
    ++slices_;
  }

  /// In the coordinates' unit; nothing without slices.
  std::optional<double> mean_rms() const {
    if (slices_ == 0) return std::nullopt;
    return distances_ / static_cast<double>(slices_);
  }

 private:
  double distances_ = 0;
  std::int64_t slices_ = 0;
};

}  // namespace ablate
