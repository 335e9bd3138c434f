#pragma once

#include <vector>

#include "tests/support/every_variant.cuh"
#include "tests/support/point_files.h"

namespace ablate::test_support {

/// Tests of variants of operations on voxels, on clouds of made points too.
class cloud_test : public variants_test {
 protected:
  /// A library with one point file, "cloud", of these points.
  input_library library_of(const std::vector<float>& xyz) { return files_.library_of("cloud", xyz); }
  /// Of this point and one in the middle of the grid: a cloud without a point in its grid is no case.
  input_library library_with(const float* point) {
    return library_of({point[0], point[1], point[2], 0.5f, 0.5f, 0.5f});
  }

  static axis_values cloud_on(const char* grid, const char* batch = "1") {
    return {{"distribution", "cloud"}, {"points", "0"}, {"grid", grid}, {"frame", "unit"}, {"batch", batch}};
  }

 private:
  point_files files_;
};

}  // namespace ablate::test_support
