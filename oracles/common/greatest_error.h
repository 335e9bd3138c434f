#pragma once

#include <cmath>
#include <limits>

namespace ablate {

/// The greatest of errors that are not negative; NaN counts as infinite.
class greatest_error {
 public:
  void add(double error) {
    if (!(error <= value_)) value_ = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

}  // namespace ablate
