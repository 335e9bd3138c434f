#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ablate::matmul {

/// C = A·B in fp32 without tensor cores (specification: voxelization §7, "Matmul"). All matrices row-major
/// and dense; elements of A and B are uniform in [−1, 1).
struct problem {
  std::int64_t m = 0, n = 0, k = 0;  ///< 1 … most_size
  const float* a = nullptr;          ///< [m][k]
  const float* b = nullptr;          ///< [k][n]
  float* c = nullptr;                ///< [m][n]
};

constexpr std::int64_t most_size = 8192;

/// Root mean square of the elements of C: √k times that of a product of two uniform numbers, 1/3.
double element_rms(const problem&);

/// Accepted error of an element, 1e-5·√k of element_rms. TF32 does not meet it at k of 256 and above.
double tolerance(const problem&);

/// Row i of C, summed in fp64. Of a problem with host pointers.
std::vector<double> exact_row(const problem&, std::int64_t i);

/// The oracle: all rows, summed in fp64, into host buffers.
void reference(const problem&);

/// What C must give on a few random vectors x of +1 and −1: C·x = A·(B·x), in fp64 (Freivalds' check). One
/// wrong element of a row shifts its sums by as much; several cancel in one vector of two at most. So the
/// whole of C is checked in O(m·n).
class projections {
 public:
  /// Of a problem with host pointers to A and B, which must outlive this.
  explicit projections(const problem&);

  struct verdict {
    std::optional<std::string> violation;  ///< the first wrong element of the first wrong row
    double max_error = 0;                  ///< greatest deviation of a sum, in units of element_rms
  };
  verdict check(const float* c) const;

 private:
  std::string first_difference(const float* c, std::int64_t row) const;

  problem problem_;
  std::vector<double> signs_;     ///< [n][vectors]
  std::vector<double> expected_;  ///< [m][vectors]
};

/// ‖Δ‖ / ‖exact‖ over the first, the middle and the last row of C.
double relative_error(const problem&, const float* c);

}  // namespace ablate::matmul
